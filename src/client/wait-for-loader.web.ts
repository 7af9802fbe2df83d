import { waitForStatus } from './wait-for.js'

/** Bundlers for the web turn each `import()` into a separate file, which would have to be served. */
export const loadWaitFor = async () => ({ waitForStatus })
