import { UsageError } from '../../contract/index.js'

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
