/** How a text separates its cells and records, and where its header begins. */
export interface CsvDialect {
  separator: string
  /** Whether records end with a carriage return alone. */
  endsWithReturn: boolean
  /** The number of lines before the header. */
  linesBefore: number
  /** Whether every separator of the header is followed by a space, so that one may stand before a quotation mark. */
  isSpaced: boolean
  /** Whether rows are framed by bars on both sides. */
  isFramed: boolean
}

/** How the beginning of a text is searched for its header. */
export interface HeaderSearch {
  /** Whether these cells are certainly the header; other lines before it are left out. */
  isHeader?: ((cells: readonly string[]) => boolean) | undefined
  /** How many columns of a header these cells have: without a certain header, the line with most is taken. */
  likeness?: ((cells: readonly string[]) => number) | undefined
  /** Whether a table with this header may write line breaks and tabs within cells as `\n` and `\t`, if it quotes nothing. */
  mayEscape?: ((header: readonly string[]) => boolean) | undefined
  /** The number of lines to leave out at the beginning. */
  skipLines?: number | undefined
  /** The line of the first record, if it is known: the header is the last line before it. */
  firstRecord?: number | undefined
}

/** The number of lines in which a header is searched for. */
const searchedLines = 30

const separators = [',', ';', '\t', '|']

/**
 * The dialect of a text by its beginning, or `undefined` if more of it is needed.
 *
 * @param isWhole whether nothing follows, or more is not worth waiting for
 */
export function dialectOf(head: string, search: HeaderSearch, isWhole: boolean): CsvDialect | undefined {
  const endsWithReturn = isEndedByReturn(head, isWhole)
  if (endsWithReturn === undefined) return undefined
  const lines = head.split(endsWithReturn ? /\r\n?|\n/ : '\n')
  const { skipLines = 0, isHeader, firstRecord } = search
  // The last one may continue.
  const complete = isWhole ? lines.length : lines.length - 1
  const mayBeLonger = !isWhole && complete < skipLines + searchedLines
  let given: string | undefined
  let first: CsvDialect | undefined
  let most = 0
  for (let at = skipLines; at < Math.min(complete, skipLines + searchedLines); at++) {
    const line = lines[at]?.replace(/\r+$/, '') ?? ''
    if (line.trim() === '' || isEmptyRecord(line)) continue
    const named = first === undefined && given === undefined ? separatorLine(line) : undefined
    if (named !== undefined) {
      given = named
      continue
    }
    const whole = logicalLine(lines, at, complete, mayBeLonger)
    if (whole === undefined) return undefined
    const found = { ...readLine(whole, given), endsWithReturn, linesBefore: at }
    if (firstRecord !== undefined) {
      if (first !== undefined && at + 1 >= firstRecord) return first
      first = dialect(found)
      at += whole.split('\n').length - 1
      continue
    }
    const cells = cellsOf(whole, found.separator)
    if (isHeader === undefined || isHeader(cells)) return dialect(found)
    const likeness = search.likeness?.(cells) ?? 0
    if (first === undefined || likeness > most) first = dialect(found)
    most = Math.max(most, likeness)
  }
  if (mayBeLonger) return undefined
  return first ?? { separator: given ?? ',', endsWithReturn, linesBefore: skipLines, isSpaced: false, isFramed: false }
}

function dialect({ separator, endsWithReturn, linesBefore, isSpaced, isFramed }: CsvDialect): CsvDialect {
  return { separator, endsWithReturn, linesBefore, isSpaced, isFramed }
}

/** Whether the first line ends with a carriage return alone; `undefined` if it is not there yet. */
function isEndedByReturn(head: string, isWhole: boolean): boolean | undefined {
  let isQuoted = false
  for (let at = 0; at < head.length; at++) {
    const character = head[at]
    if (character === '"') isQuoted = !isQuoted
    else if (character === '\n' && !isQuoted) return false
    else if (character === '\r' && !isQuoted) {
      if (at + 1 < head.length) {
        // Several before a line feed are the end of a line as well.
        const next = /[^\r]/.exec(head.slice(at + 1))?.[0]
        if (next !== undefined) return next !== '\n'
      }
      if (!isWhole) return undefined
      return true
    }
  }
  if (!isWhole) return undefined
  return !head.includes('\n') && head.includes('\r')
}

/** The separator that a first line `sep=;` names, which spreadsheets write for each other. */
function separatorLine(line: string): string | undefined {
  return /^"?sep=([^"\w\s]|\t)"?$/i.exec(line.replace(/^\ufeff/, ''))?.[1]
}

function isEmptyRecord(line: string): boolean {
  return /^[\s,;"]*$/.test(line)
}

/** A line with those that follow as long as a quotation mark is open. */
function logicalLine(lines: readonly string[], at: number, complete: number, mayBeLonger: boolean): string | undefined {
  let text = lines[at] ?? ''
  for (let next = at + 1; (text.split('"').length - 1) % 2 === 1; next++) {
    if (next >= complete || next > at + searchedLines) return mayBeLonger ? undefined : (lines[at] ?? '')
    text += `\n${lines[next]}`
  }
  return text
}

/** The separator that a line has most of, outside of quotation marks. */
function readLine(line: string, given: string | undefined): Pick<CsvDialect, 'separator' | 'isSpaced' | 'isFramed'> {
  const bare = line.replace(/"[^"]*"/g, '')
  const counted = separators.map((separator) => ({ separator, count: bare.split(separator).length }))
  const separator = given ?? counted.reduce((most, each) => (each.count > most.count ? each : most)).separator
  const [, ...after] = bare.split(separator)
  return {
    separator,
    isFramed: separator === '|' && isFramed(line),
    isSpaced: separator !== '\t' && after.length > 0 && after.every((cell) => cell.startsWith(' ')),
  }
}

function cellsOf(line: string, separator: string): string[] {
  const cells: string[] = []
  let cell = ''
  let isQuoted = false
  for (const character of line) {
    if (character === '"') isQuoted = !isQuoted
    else if (character === separator && !isQuoted) {
      cells.push(cell)
      cell = ''
    } else cell += character
  }
  return [...cells, cell]
}

/** Whether a line is framed by bars on both sides, as a row of Markdown and of a database's terminal is. */
export function isFramed(line: string): boolean {
  return /^\s*\|.*(?<!\\)\|\s*$/s.test(line)
}
