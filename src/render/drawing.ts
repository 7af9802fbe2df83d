import type { ChalkInstance } from 'chalk'
import type CliTable from 'cli-table3'

/**
 * The packages that draw. They are loaded where something is drawn and nowhere else: a pipe, which has neither colour
 * nor columns, never waits for them.
 */
const packages: { chalk?: ChalkInstance; Table?: typeof CliTable } = {}

/** Loads what this style draws with; to be awaited once before anything is painted or put into a table. */
export async function prepareDrawing({ colour, terminal }: { colour: boolean; terminal: boolean }): Promise<void> {
  if (colour && packages.chalk === undefined) {
    const { Chalk } = await import('chalk')
    // Whether there is colour is settled by the style; the sixteen colours follow the reader's own light or dark theme.
    packages.chalk = new Chalk({ level: 1 })
  }
  if (terminal && packages.Table === undefined) packages.Table = (await import('cli-table3')).default
}

/** The painter; `undefined` before `prepareDrawing` has loaded it. */
export function loadedChalk(): ChalkInstance | undefined {
  return packages.chalk
}

/** The drawer of tables. */
export function loadedTable(): typeof CliTable {
  if (packages.Table === undefined) throw new Error('A table is drawn before prepareDrawing was awaited.')
  return packages.Table
}
