import { UsageError } from '../contract/index.js'

/** Splits CSV text by RFC 4180: quoted cells may hold commas, quotes and line ends. Empty lines are left out. */
export function parseCsv(text: string, what: string): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  let cell = ''
  let quoted = false
  const endCell = () => {
    row.push(cell)
    cell = ''
  }
  const endRow = () => {
    endCell()
    if (row.length > 1 || row[0] !== '') rows.push(row)
    row = []
  }
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (quoted) {
      if (character !== '"') cell += character
      else if (text[at + 1] === '"') {
        cell += '"'
        at++
      } else quoted = false
    } else if (character === '"' && cell === '') quoted = true
    else if (character === ',') endCell()
    else if (character === '\n') endRow()
    else if (character !== '\r' || text[at + 1] !== '\n') cell += character
  }
  if (quoted) throw new UsageError(`${what}: a quoted cell of the CSV has no end.`)
  if (cell !== '' || row.length > 0) endRow()
  return rows
}
