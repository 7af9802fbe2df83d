import { loadedChalk } from './drawing.js'

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
