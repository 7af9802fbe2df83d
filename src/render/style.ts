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

const codes = {
  bold: [1, 22],
  dim: [2, 22],
  underline: [4, 24],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  blue: [34, 39],
  magenta: [35, 39],
  cyan: [36, 39],
} as const

export type Ink = keyof typeof codes

/** The text in an ink that reads on light and dark grounds, or as it is where colour is off. */
export function paint(style: Pick<Style, 'colour'>, ink: Ink, text: string): string {
  if (!style.colour || text === '') return text
  const [open, close] = codes[ink]
  return `\u001b[${open}m${text}\u001b[${close}m`
}
