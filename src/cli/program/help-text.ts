import { pad, textWidth, wrap } from '../../render/plain-text.js'
import type { OutputStream } from '../process/context.js'

/** A description with less room than this next to its term is placed below it. */
const narrowestText = 28
const below = 6

const narrowest = 40

/** The width of help in columns: the terminal's, or 80. */
export function helpWidthOf({ isTTY, columns }: OutputStream): number {
  return isTTY === true && columns !== undefined && columns > 0 ? Math.max(narrowest, columns) : 80
}

/** Wraps text between words into lines of at most `width` columns. */
export function helpText(text: string, width: number): string {
  return wrap(text, width).join('\n')
}

/** A term and what is said of it. */
export type HelpRow = readonly [term: string, text?: string | undefined]

/** Terms with descriptions in two columns; on a narrow terminal, descriptions are below their terms. */
export function helpList(rows: readonly HelpRow[], width: number): string {
  const widest = Math.max(0, ...rows.map(([term]) => textWidth(term)))
  const room = width - widest - 2
  if (room < narrowestText)
    return rows.map(([term, text]) => [term, ...indented(text, width - below, below)].join('\n')).join('\n')
  return rows
    .map(([term, text]) => {
      const [first = '', ...rest] = indented(text, room, widest + 2)
      return [`${pad(term, widest)}  ${first.trimStart()}`.trimEnd(), ...rest].join('\n')
    })
    .join('\n')
}

function indented(text: string | undefined, width: number, indent: number): string[] {
  return text === undefined ? [] : wrap(text, width).map((line) => ' '.repeat(indent) + line)
}
