/**
 * Preloaded with `--require`: brings about, once all is printed, the state in which Node's exit waited for ever. Threads compile
 * large functions, and the heap is at its limit: they need a collection of the main thread, which exits and waits for them.
 */
const v8 = require('node:v8')
const { runInNewContext, runInThisContext } = require('node:vm')

for (const flag of [
  'allow-natives-syntax',
  'optimize-on-next-call-optimizes-to-maglev',
  'no-incremental-marking',
  'expose-gc',
])
  v8.setFlagsFromString(`--${flag}`)
const prepare = runInThisContext('(f) => %PrepareFunctionForOptimization(f)')
const compile = runInThisContext('(f, args) => { %OptimizeFunctionOnNextCall(f, "concurrent"); f(...args) }')

/** Their code is larger than what fits beside other code, so that it needs memory of its own. */
const statements = Array.from({ length: 3000 }, (_, at) => `sum = (sum + a[${at % 50}] * ${at}.5) ^ b.x${at % 20}`)
const args = [
  Array.from({ length: 50 }, (_, at) => at + 0.5),
  Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`x${at}`, at])),
]
const functions = [1, 2].map((start) =>
  runInThisContext(`(function (a, b) { let sum = ${start}; ${statements.join(';')}; return sum })`),
)
for (const one of functions) {
  prepare(one)
  one(...args)
  one(...args)
}

const { write } = process.stderr
let held
process.stderr.write = (text, ...rest) => {
  // The empty text is how the program waits for what it has printed: its exit is next.
  if (text === '' && held === undefined) {
    runInNewContext('gc')()
    held = new ArrayBuffer(50_000_000)
    for (const one of functions) compile(one, args)
    // The threads have begun, and are far from the end, where they need the memory.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 40)
  }
  return write.call(process.stderr, text, ...rest)
}
