import type { ChalkInstance } from 'chalk'
import type CliTable from 'cli-table3'

/** How to draw: determined once per command and passed to every view. */
export interface Style {
  /** `true` on a terminal; `false` in a pipe or file, where nothing is shortened. */
  readonly terminal: boolean
  readonly colour: boolean
  /** Columns of the terminal. */
  readonly columns: number
  /** Plain labelled lines instead of tables and symbols (`DLV_ACCESSIBLE`). */
  readonly accessible: boolean
  /** The current time for relative times, in milliseconds since the epoch. */
  readonly nowMs: number
  /** Whether the service's web pages are not served: those of the embedded sandbox. */
  readonly unservedPages?: boolean
  /** The terminal shows links (OSC 8). */
  readonly links?: boolean
  /** The flags by which the command line chose its account, for the commands that a view recommends. */
  readonly accountFlags?: string
  /** An IANA name; the user's own time zone unless given. */
  readonly timeZone?: string
}

export type Ink = 'bold' | 'dim' | 'underline' | 'red' | 'green' | 'yellow' | 'blue' | 'magenta' | 'cyan'

/** The text in a colour that is readable on light and dark backgrounds; unchanged if colour is off. */
export function paint(style: Pick<Style, 'colour'>, ink: Ink, text: string): string {
  if (!style.colour || text === '') return text
  return loadedChalk()?.[ink](text) ?? text
}

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
function loadedChalk(): ChalkInstance | undefined {
  return packages.chalk
}

/** The table package. */
export function loadedTable(): typeof CliTable {
  if (packages.Table === undefined) throw new Error('prepareDrawing must be awaited before a table is drawn.')
  return packages.Table
}
