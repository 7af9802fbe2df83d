/** The data that the worker starts with. */
export interface Setup {
  expression: string
  /** jq, compiled to WebAssembly and compressed by Brotli. */
  program: Uint8Array
  /** Whether results go to a terminal. */
  terminal: boolean
  /** Two counters as an `Int32Array`, which the worker waits on: texts that were printed, inputs that were sent. */
  counts: SharedArrayBuffer
}

/** The index of each counter. */
export const countOf = { printed: 0, sent: 1 } as const

/** Values to run the expression on, as JSON; `null` is the end. */
export type Input = Uint8Array<ArrayBuffer> | null

/** A report of the worker: text to print, that it is ready for more input, or that jq has exited. */
export type Report = { text: string } | { isReady: true; said: string } | { ended: Ended }

export interface Ended {
  /** jq's exit code; `undefined` if it crashed, for the reason in `broken`. */
  exitCode: number | undefined
  broken?: string
  /** The end of what jq wrote to standard error, since it was last ready. */
  said: string
}
