import { join } from 'node:path'

/** What Node compiles is kept from run to run: every home is new, and its own cache would be empty. */
export const compiledCode = join(process.cwd(), 'node_modules', '.cache', 'dlv-tests')

/** The same for the workers, and for every process that a test starts in their environment. */
export default function setup(): void {
  process.env.NODE_COMPILE_CACHE = compiledCode
}
