import { styleText } from 'node:util'
import type { OutputStream } from '../process/context.js'
import { type HelpRow, helpList, helpText, helpWidthOf } from './help-text.js'
import { type Program, topicsOf } from './program.js'

const start = [
  ['$ dlv tour', 'see a delivery from order to verified webhooks, offline'],
  ['$ dlv deliveries create --file order.json', 'create one in the embedded sandbox'],
  ['$ dlv profiles add NAME', 'connect an account'],
  ['$ dlv explain CODE', 'what a status, reason, error or exit code means'],
] as const

/** The text of `dlv --help`. Newcomers type it first, so it does without oclif, which is slow to load. */
export function rootHelp(program: Program, stdout: OutputStream, colour: boolean): string {
  const width = helpWidthOf(stdout)
  const visible = Object.values(program.manifest().commands).filter(({ hidden }) => hidden !== true)
  const topics = topicsOf(program)
    .filter(({ name }) => !name.includes(':') && visible.some(({ id }) => id.startsWith(`${name}:`)))
    .map(({ name, description }) => [name, description] as const)
  const commands = visible.filter(({ id }) => !id.includes(':')).map(({ id, summary }) => [id, summary] as const)
  const section = (header: string, rows: readonly HelpRow[]) => {
    const title = colour ? styleText('bold', header, { validateStream: false }) : header
    const list = helpList(rows, width - 2)
    return `${title}\n${list.replaceAll(/^/gm, '  ')}`
  }
  return [
    helpText(program.packageJson.description ?? '', width),
    section('START HERE', start),
    section('TOPICS', sorted(topics)),
    section('COMMANDS', sorted(commands)),
    helpText('dlv COMMAND --help shows examples and flags. Exit codes: dlv explain 2 (or any other).', width),
  ].join('\n\n')
}

function sorted(rows: readonly HelpRow[]): HelpRow[] {
  return rows.toSorted(([one], [other]) => (one < other ? -1 : 1))
}
