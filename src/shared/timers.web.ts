/** The platform's timers. */
export const setTimeout: (callback: () => void, delayMs: number) => unknown = (callback, delayMs) =>
  globalThis.setTimeout(callback, delayMs)

export const clearTimeout = (timer: unknown): void => globalThis.clearTimeout(timer as number)
