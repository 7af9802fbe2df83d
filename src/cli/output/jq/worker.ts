/** Runs jq in a separate thread, so that an expression that does not finish can be stopped. */
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import { brotliDecompressSync } from 'node:zlib'
import { runJq } from './instance.js'
import { countOf, type Ended, type Input, type Report, type Setup } from './protocol.js'
import { Values } from './values.js'

const { expression, program, counts: shared, terminal } = workerData as Setup
const counts = new Int32Array(shared)
const port = parentPort

const textLength = 65_536
/** Whole lines are sent after this time, however short they are. */
const textAgeMs = 50
/** Maximum number of texts that wait to be printed. */
const textsAhead = 4
/** Maximum length of the end of standard error that is kept, where errors are. */
const saidLength = 65_536
const lineFeed = 10

let [text, said] = ['', '']
let textsSent = 0
let sentMs = 0

const tell = (report: Report) => port?.postMessage(report)

/** Sends text to be printed, and sleeps while too much of it is not. */
function flush(): void {
  if (text === '') return
  tell({ text })
  text = ''
  textsSent++
  sentMs = performance.now()
  for (;;) {
    const printed = Atomics.load(counts, countOf.printed)
    if (textsSent - printed <= textsAhead) return
    Atomics.wait(counts, countOf.printed, printed)
  }
}

/** Sleeps until there is more to run the expression on. */
function nextInput(): Input {
  flush()
  tell({ isReady: true, said })
  said = ''
  for (;;) {
    const sent = Atomics.load(counts, countOf.sent)
    const received: { message: Input } | undefined = port === null ? undefined : receiveMessageOnPort(port)
    if (received !== undefined) return received.message
    Atomics.wait(counts, countOf.sent, sent)
  }
}

async function run(): Promise<Ended> {
  const values = new Values(terminal)
  const errors = new TextDecoder()
  let input: Input = new Uint8Array()
  const words = ['--compact-output', '--monochrome-output', '--unbuffered', '--', expression]
  const running = runJq(new WebAssembly.Module(brotliDecompressSync(program)), words, {
    // One line at a time, and none after an error: then no value after the failed one is begun.
    read(into) {
      if (/^jq: error/m.test(said)) return 0
      if (input?.length === 0) input = nextInput()
      if (input === null) return 0
      const next = input.subarray(0, into.length)
      const line = next.subarray(0, next.indexOf(lineFeed) + 1 || next.length)
      into.set(line)
      input = input.subarray(line.length)
      return line.length
    },
    write(bytes, isError) {
      if (isError) {
        said = (said + errors.decode(bytes, { stream: true })).slice(-saidLength)
        return
      }
      text += values.take(bytes)
      const isDue = text.endsWith('\n') && performance.now() - sentMs > textAgeMs
      if (isDue || text.length >= textLength) flush()
    },
  })
  try {
    return { exitCode: await running, said }
  } catch (error) {
    return { exitCode: undefined, broken: error instanceof Error ? error.message : String(error), said }
  }
}

void run().then((ended) => {
  flush()
  tell({ ended })
})
