import type { ChalkInstance } from 'chalk'
import type CliTable from 'cli-table3'

/**
 * The packages that draw, loaded on demand: a pipe, which has neither colour nor columns, never waits for them.
 */
const packages: { chalk?: ChalkInstance; Table?: typeof CliTable } = {}

/** Loads what a style needs. Await it once before painting text or drawing a table. */
export async function prepareDrawing({ colour, terminal }: { colour: boolean; terminal: boolean }): Promise<void> {
  if (colour && packages.chalk === undefined) {
    const { Chalk } = await import('chalk')
    // The style decides whether there is colour; the 16 colours follow the terminal's own theme.
    packages.chalk = new Chalk({ level: 1 })
  }
  if (terminal && packages.Table === undefined) packages.Table = (await import('cli-table3')).default
}

/** Chalk; `undefined` before `prepareDrawing` has loaded it. */
export function loadedChalk(): ChalkInstance | undefined {
  return packages.chalk
}

/** The table package. */
export function loadedTable(): typeof CliTable {
  if (packages.Table === undefined) throw new Error('prepareDrawing must be awaited before a table is drawn.')
  return packages.Table
}
