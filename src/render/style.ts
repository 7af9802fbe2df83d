import { loadedChalk } from './drawing.js'

/** How to draw for whoever is looking: settled once a command, handed to every view. */
export interface Style {
  /** `true` where a person looks at a terminal; `false` in a pipe or file, where nothing is shortened. */
  readonly terminal: boolean
  readonly colour: boolean
  /** Columns of the terminal. */
  readonly columns: number
  /** Plain labelled lines instead of tables and symbols (`DLV_ACCESSIBLE`). */
  readonly accessible: boolean
  /** What "now" is for relative times, in milliseconds since the epoch. */
  readonly nowMs: number
  /** IANA name of the reader's time zone. */
  readonly timeZone: string
}

export type Ink = 'bold' | 'dim' | 'underline' | 'red' | 'green' | 'yellow' | 'blue' | 'magenta' | 'cyan'

/** The text in an ink that reads on light and dark grounds, or as it is where colour is off. */
export function paint(style: Pick<Style, 'colour'>, ink: Ink, text: string): string {
  if (!style.colour || text === '') return text
  return loadedChalk()?.[ink](text) ?? text
}
