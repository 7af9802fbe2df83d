import { waitForStatus } from './wait-for.js'

/** Bundlers for the web make a file of its own of each `import()`, which needs a place to be loaded from. */
export const loadWaitFor = async () => ({ waitForStatus })
