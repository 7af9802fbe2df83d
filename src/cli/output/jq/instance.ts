import start from 'jq-web'
import { plainLayout, safeJsonText } from '../../../render/plain-text.js'

/** The standard streams of one run. */
interface Streams {
  /** Fills the beginning of `into` with the next bytes and returns their number, 0 at the end. */
  read(into: Uint8Array): number
  write(bytes: Uint8Array, isError: boolean): void
}

interface Exports {
  memory: WebAssembly.Memory
  emscripten_stack_get_current(): number
  _emscripten_stack_restore(top: number): void
}

/** The usual size on Linux. With its own 64 KB, jq overwrites its data when values are nested a hundred levels deep. */
const stackBytes = 8_388_608
const standardError = 2

/**
 * Runs jq's `main` once, in an instance of its own, and returns its exit code. It sees no environment and no files.
 * Throws if it cannot go on, for example without memory.
 */
export async function runJq(module: WebAssembly.Module, words: readonly string[], streams: Streams): Promise<number> {
  const { callMain } = await start({
    thisProgram: 'jq',
    printErr: () => {},
    instantiateWasm({ env, wasi_snapshot_preview1: wasi }, done) {
      let exports: Exports
      const view = () => new DataView(exports.memory.buffer)
      const setWord = (at: number, word: number) => view().setUint32(at, word, true)
      /** The buffers in a list of `count` addresses and lengths. */
      const buffers = (list: number, count: number) =>
        Array.from({ length: count }, (_, index) => {
          const at = list + 8 * index
          return new Uint8Array(exports.memory.buffer, view().getUint32(at, true), view().getUint32(at + 4, true))
        })
      const own = {
        fd_read(_file: number, list: number, count: number, size: number) {
          // One buffer per call, because the stream decides how much is read at once.
          const into = buffers(list, count).find(({ length }) => length > 0)
          setWord(size, into === undefined ? 0 : streams.read(into))
          return 0
        },
        fd_write(file: number, list: number, count: number, size: number) {
          let sum = 0
          for (const buffer of buffers(list, count)) {
            streams.write(buffer, file === standardError)
            sum += buffer.length
          }
          setWord(size, sum)
          return 0
        },
        fd_close: () => 0,
        environ_sizes_get(count: number, size: number) {
          setWord(count, 0)
          setWord(size, 0)
          return 0
        },
        environ_get: () => 0,
      }
      const instance = new WebAssembly.Instance(module, { env, wasi_snapshot_preview1: { ...wasi, ...own } })
      exports = instance.exports as unknown as Exports
      enlargeStack(exports)
      done(instance)
    },
  })
  return callMain([...words])
}

/** The stack is below the heap and grows down. Both are moved up; a single word in memory says where the heap starts. */
function enlargeStack({ memory, emscripten_stack_get_current, _emscripten_stack_restore }: Exports): void {
  const top = emscripten_stack_get_current()
  const words = new Uint32Array(memory.buffer, 0, top / 4)
  const heapStart = words.indexOf(top)
  if (heapStart === -1 || words.includes(top, heapStart + 1))
    throw new Error('This version of jq-web lays its memory out in another way.')
  words[heapStart] = top + stackBytes
  _emscripten_stack_restore(top + stackBytes)
}

/**
 * Turns the output of `jq -c` into what is printed: strings raw, other values as JSON. A value is printed while jq still
 * writes it, because its text can be much larger than the value in memory.
 */
export class Values {
  private readonly decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  private kind: 'string' | 'other' | undefined
  private held = ''

  /** For a terminal, control characters are removed from strings. */
  constructor(private readonly terminal: boolean) {}

  /** Takes the next bytes and returns what can be printed so far. */
  take(bytes: Uint8Array): string {
    let text = this.held + this.decoder.decode(bytes, { stream: true })
    let printed = ''
    this.held = ''
    while (text !== '') {
      const end = text.indexOf('\n')
      if (this.kind === undefined) {
        this.kind = text.startsWith('"') ? 'string' : 'other'
        if (this.kind === 'string') text = text.slice(1)
        continue
      }
      const isString = this.kind === 'string'
      if (end !== -1) {
        printed += isString ? this.bare(text.slice(0, end - 1)) : safeJsonText(text.slice(0, end))
        printed += '\n'
        text = text.slice(end + 1)
        this.kind = undefined
        continue
      }
      const until = isString ? wholeLength(text) : text.length
      printed += isString ? this.bare(text.slice(0, until)) : safeJsonText(text)
      this.held = text.slice(until)
      text = ''
    }
    return printed
  }

  /** Decodes a piece of a JSON string. */
  private bare(piece: string): string {
    const text: string = JSON.parse(`"${piece}"`)
    return this.terminal ? plainLayout(text) : text
  }
}

/** The length of the text without an incomplete escape, and without a quote that may end the string. */
function wholeLength(text: string): number {
  const last = text.lastIndexOf('\\')
  const before = /\\*$/.exec(text.slice(0, last + 1))?.[0].length ?? 0
  const isOpen = before % 2 === 1
  const escapeEnd = isOpen ? last + (text[last + 1] === 'u' ? 6 : 2) : last + 1
  if (escapeEnd > text.length) return last
  return text.endsWith('"') && escapeEnd < text.length ? text.length - 1 : text.length
}
