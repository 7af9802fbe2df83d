/** The part of WebAssembly that is used here. TypeScript has types for it only in its library for browsers. */
declare namespace WebAssembly {
  class Module {
    constructor(program: Uint8Array)
  }
  class Instance {
    readonly exports: Record<string, unknown>
    constructor(module: Module, imports: Record<string, ImportedFunctions>)
  }
  interface Memory {
    readonly buffer: ArrayBuffer
  }
  type ImportedFunctions = Record<string, (...numbers: number[]) => unknown>
}

/** jq as Emscripten compiles it. scripts/jq-web.js makes the package export the function that starts it. */
declare module 'jq-web' {
  export interface Options {
    thisProgram: string
    /** Gets messages about crashes, which are thrown as well. */
    printErr(text: string): void
    /** Creates the instance and passes it on. */
    instantiateWasm(
      imports: Record<'env' | 'wasi_snapshot_preview1', WebAssembly.ImportedFunctions>,
      done: (instance: WebAssembly.Instance) => void,
    ): void
  }

  export interface Program {
    /** Runs `main` once and returns its exit code. */
    callMain(words: string[]): number
  }

  export default function start(options: Options): Promise<Program>
}
