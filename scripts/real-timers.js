/** What the library has in place of the globals that no module of Node keeps for tests with fake timers. */
export const nextTick = (callback, ...args) => void Promise.resolve().then(() => callback(...args))
export const queueMicrotask = (callback) => void Promise.resolve().then(callback)
