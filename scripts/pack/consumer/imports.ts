/** Imports each module that is named, and says which one cannot be loaded. */
let failures = 0
for (const specifier of process.argv.slice(2)) {
  try {
    await import(specifier)
  } catch (cause) {
    failures += 1
    console.error(`${specifier} cannot be imported: ${cause instanceof Error ? cause.message : String(cause)}`)
  }
}
process.exitCode = failures === 0 ? 0 : 1
