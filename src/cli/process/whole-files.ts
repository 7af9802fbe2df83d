import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** A file of the program that is not there, or not as long as it was built. */
export class IncompleteProgramError extends Error {
  override name = 'IncompleteProgramError'
}

/** The folder of the program as it is installed. */
const folder = join(import.meta.dirname, '..')

/**
 * Looks for files of the program that were cut off or are missing: one that was half copied, or on a disk that was full. A
 * program without the list of its files, such as one in a single executable, is taken as whole.
 *
 * @param only the one file to look at
 */
export function incompleteFile(only?: string): IncompleteProgramError | undefined {
  let sizes: [string, number][]
  try {
    sizes = Object.entries(JSON.parse(readFileSync(join(folder, 'files.json'), 'utf8')))
  } catch {
    return undefined
  }
  for (const [name, size] of sizes) {
    if (only !== undefined && name !== only) continue
    const file = join(folder, name)
    const found = statSync(file, { throwIfNoEntry: false })?.size
    if (found === undefined) return new IncompleteProgramError(`${file} is not there`)
    if (found !== size) return new IncompleteProgramError(`${file} has ${found} of ${size} bytes`)
  }
  return undefined
}
