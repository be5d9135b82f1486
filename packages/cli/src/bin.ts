#!/usr/bin/env node
/**
 * The executable. Until the modules are loaded nothing needs to be released, so a signal in that time ends the process
 * at once, with the exit code that it has later as well.
 */
const loading = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 }
const handlers = Object.entries(loading).map(([signal, code]) => [signal, () => process.exit(code)] as const)
for (const [signal, handler] of handlers) {
  process.on(signal, handler)
}

const { run } = await import("./main.ts")
run()

for (const [signal, handler] of handlers) {
  process.removeListener(signal, handler)
}
