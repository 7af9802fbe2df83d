import start from 'jq-web'

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
