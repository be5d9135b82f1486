/** What is run in the page: every text that can be seen, and how it stands out from what is behind it (WCAG 2). */
export const CONTRASTS = `(() => {
  const numbers = (colour) => colour.match(/[\\d.]+/g).map(Number)
  const channel = (value) => (value / 255 <= 0.03928 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4)
  const luminance = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b)
  const ground = (element) => {
    for (let at = element; at !== null; at = at.parentElement) {
      const colour = numbers(getComputedStyle(at).backgroundColor)
      if (colour.length === 3 || colour[3] === 1) return colour
    }
    return [255, 255, 255]
  }
  const low = []
  for (const element of document.querySelectorAll("body *")) {
    const own = [...element.childNodes].filter((node) => node.nodeType === 3 && node.textContent.trim() !== "")
    if (own.length === 0 || element.getClientRects().length === 0) continue
    const [a, b] = [luminance(numbers(getComputedStyle(element).color)), luminance(ground(element))]
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
    if (contrast < 4.5) low.push(element.tagName + " " + own[0].textContent.trim() + ": " + contrast.toFixed(2))
  }
  return low
})()`
