/**
 * Where the pages of the repository stand on the site, and links between them as they are written in the repository: from
 * the place of the source, to the place of a source. What is no page (sources, folders) is named and not linked.
 */
import { posix } from "node:path"
import type { MarkdownOptions } from "vitepress"

const OF_ROOT: Readonly<Record<string, string>> = {
  "README.md": "overview.md",
  "ARCHITECTURE.md": "architecture.md",
  "CONTRIBUTING.md": "contributing.md",
  "SECURITY.md": "security.md",
  "interop/README.md": "interop.md"
}

/** The place on the site of a source, both from the root; what is in no rule stays where it is. */
export const placeOf = (source: string): string =>
  OF_ROOT[source] ??
  source
    .replace(/^docs\//, "")
    .replace(/^packages\/([^/]+)\/README\.md$/, "packages/$1.md")
    .replace(/^packages\/([^/]+)\/CHANGELOG\.md$/, "changes/$1.md")

const isLocal = (target: string): boolean => !/^([a-z]+:|#|\/)/.test(target)

/** The address of the page behind a link in the page `source`; nothing where the link leads to no page. */
export const addressOf = (source: string, target: string): string | undefined => {
  const [path = "", anchor] = target.split("#")
  const linked = posix.join(posix.dirname(source), path)
  if (!linked.endsWith(".md") || linked.startsWith(".")) {
    return undefined
  }
  return `/${placeOf(linked)}${anchor === undefined ? "" : `#${anchor}`}`
}

type Markdown = Parameters<NonNullable<MarkdownOptions["config"]>>[0]

/** Before the site's own rules see the links. */
export const linkBySource = (markdown: Markdown, sourceOf: (page: string) => string): void => {
  markdown.core.ruler.push("link_by_source", ({ env, tokens }) => {
    const source = sourceOf(env.relativePath)
    for (const { children } of tokens) {
      let isOpen = false
      for (const token of children ?? []) {
        const target = token.type === "link_open" ? token.attrGet("href") : null
        if (target !== null && isLocal(target)) {
          const address = addressOf(source, target)
          isOpen = address === undefined
          if (address === undefined) {
            token.tag = "span"
            token.attrs = null
            token.type = "span_open"
          } else {
            token.attrSet("href", address)
          }
        } else if (token.type === "link_close" && isOpen) {
          token.tag = "span"
          isOpen = false
        }
      }
    }
  })
}
