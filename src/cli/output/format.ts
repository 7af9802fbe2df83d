import { isResponseField, responseFieldPaths, UsageError } from '../../contract/index.js'
import type { Column, View } from '../../render/view.js'
import { didYouMean, suggestions } from '../../shared/word-match.js'

export const outputFormats = ['table', 'json', 'ndjson', 'csv', 'tsv', 'xlsx'] as const
export type OutputFormat = (typeof outputFormats)[number]

/** Parses the name of a format; `where` names its source in an error. */
export function parseOutputFormat(name: string, where: string): OutputFormat {
  const format = outputFormats.find((known) => known === name)
  if (format !== undefined) return format
  throw new UsageError(`${where} must be one of ${outputFormats.join(', ')}, got "${name}".`)
}

/**
 * The format requested on a command line, even if the line cannot be parsed: an error about a flag has to be JSON too.
 * `undefined` if the line does not name one.
 */
export function formatInArgv(argv: readonly string[]): OutputFormat | undefined {
  const end = argv.indexOf('--')
  const words = end === -1 ? argv : argv.slice(0, end)
  let format: string | undefined
  for (const [index, word] of words.entries()) {
    if (word === '--json') format = 'json'
    else if (word === '-o' || word === '--output') format = words[index + 1]
    else if (word.startsWith('--output=')) format = word.slice('--output='.length)
    else if (/^-o=?[a-z]+$/.test(word)) format = word.replace(/^-o=?/, '')
  }
  return outputFormats.find((known) => known === format)
}

/** Parses `--columns`: names or paths, separated by commas; `items[0].name` is `items.0.name`. Throws `UsageError`. */
export function parseColumns(text: string): string[] {
  const names = text.split(',').map((name) => name.trim().replace(/\[(\d+)\]/g, '.$1'))
  if (names.some((name) => name === '' || name.split('.').includes('')))
    throw new UsageError(`--columns: expected names such as status,dropoff.address, got "${text.slice(0, 120)}".`)
  return names
}

/**
 * The columns with these names, in this order. Throws `UsageError` for a name that is not a column of the view, not in
 * the responses that the view shows, and in none of the rows. All are shown on a narrow terminal; ids are not shortened.
 */
export function chosenColumns(
  names: readonly string[],
  view: Pick<View<unknown>, 'columns' | 'shows'>,
  rows: readonly unknown[],
): Column[] {
  return names.map((name) => {
    const own = view.columns.find((column) => column.name === name)
    if (own === undefined && !rows.some((row) => holds(row, name)) && !isResponseField(name, view.shows))
      throw unknownColumn(name, view, rows)
    const isId = /(?:^|\.)(?:id|\w+Id)$/.test(name)
    return { elastic: !isId, ...own, name, keep: true }
  })
}

function holds(row: unknown, path: string): boolean {
  let value = row
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return false
    value = (value as Record<string, unknown>)[name]
  }
  return true
}

function unknownColumn(
  name: string,
  { columns, shows }: Pick<View<unknown>, 'columns' | 'shows'>,
  rows: readonly unknown[],
): UsageError {
  const own = [...columns.map((column) => column.name), ...rows.flatMap((row) => Object.keys(row ?? {}))]
  const shown = name.slice(0, 80)
  const near = suggestions(shown, [...new Set([...own, ...responseFieldPaths(shows)])], 1)
  return new UsageError(`--columns: unknown column "${shown}".`, {
    hint: didYouMean(near) ?? `Known here: ${[...new Set(own)].join(', ')}.`,
  })
}
