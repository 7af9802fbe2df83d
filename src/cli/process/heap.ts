/** A run of less memory and time is far from the limit of V8's heap, and a collection would only delay its exit. */
const small = { bytes: 24_000_000, seconds: 0.5 }

/**
 * Collects garbage if there can be much of it. V8 compiles functions in threads; one that needs memory when the heap is at
 * its limit waits for the main thread to collect. The exit of Node waits for these threads first, so that both wait for
 * ever (nodejs/node#54918). After a collection the heap is far from its limit, and nothing that a thread still does gets there.
 */
export function collectBeforeExit(): void {
  const { external, heapUsed } = process.memoryUsage()
  if (external + heapUsed < small.bytes && process.uptime() < small.seconds) return
  process.getBuiltinModule('node:v8').setFlagsFromString('--expose-gc')
  process.getBuiltinModule('node:vm').runInNewContext('gc')()
}
