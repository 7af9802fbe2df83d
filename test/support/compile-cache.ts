import { join } from 'node:path'

/** What Node compiles is kept from run to run: every home is new, and its own cache would be empty. */
export const compiledCode = join(process.cwd(), 'node_modules', '.cache', 'dlv-tests')

/** Gives that cache to the workers, and to every process that a test starts in their environment. */
export default function setup(): void {
  process.env.NODE_COMPILE_CACHE = compiledCode
}
