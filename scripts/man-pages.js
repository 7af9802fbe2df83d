// Writes manual pages (mdoc) from oclif.manifest.json: node scripts/man-pages.js FOLDER
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { flagText } from '../src/cli/program/flag-text.ts'
import { bundled } from './bundled.js'
import { listedCommands, partsOf, readManifest, shown } from './manifest-commands.js'

/** A page's name: `dlv-deliveries-create`. */
export const pageName = (id) => ['dlv', ...id.split(':')].join('-')

/** Text that roff prints as it is: no escape, no macro at the start of a line, dashes as they are typed. */
function text(words) {
  return words
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .split('\n')
    .map((line) => (line.trim() === '' ? '.Pp' : /^[.']/.test(line) ? `\\&${line}` : line).trimEnd())
    .join('\n')
}

/** Running text: each sentence on a line of its own, as mdoc wants it. */
function prose(words) {
  return text(words.replaceAll(/([.!?]) +(?=[A-Z`'"])/g, '$1\n'))
}

/** One argument of a macro: quoted, since blanks separate arguments. */
function quoted(words) {
  return `"${words.replaceAll('\\', '\\e').replaceAll('-', '\\-').replaceAll('"', '\\(dq')}"`
}

function flagLines(flag) {
  const { name, char, type, helpValue, allowNo } = flag
  const long = allowNo ? `[no-]${name}` : name
  const value = type === 'option' ? ` Ar ${quoted(helpValue ?? 'VALUE')}` : ''
  const short = char === undefined ? '' : `Fl ${char} , `
  return [`.It ${short}Fl \\-${long.replaceAll('-', '\\-')}${value}`, prose(`${flagText(flag)}.`.replace(/\.\.$/, '.'))]
}

function flagList(flags) {
  return ['.Bl -tag -width Ds', ...flags.flatMap(flagLines), '.El']
}

function synopsis(id, args) {
  const words = args.map(({ name, required, multiple }) => {
    const word = `Ar ${quoted(name.toUpperCase())}${multiple ? ' ...' : ''}`
    return required ? `.${word}` : `.Op ${word}`
  })
  return ['.Sh SYNOPSIS', `.Nm dlv ${id.replaceAll(':', ' ')}`, ...words, '.Op Ar FLAGS']
}

function page(id, command, everywhere, date, exits) {
  const { args, flags, examples } = partsOf(command)
  const summary = (command.summary ?? '').replace(/\.$/, '').replaceAll('\n', ' ')
  return [
    `.Dd ${date}`,
    `.Dt ${pageName(id).toUpperCase()} 1`,
    '.Os',
    '.Sh NAME',
    `.Nm ${pageName(id)}`,
    `.Nd ${text(summary)}`,
    ...synopsis(id, args),
    '.Sh DESCRIPTION',
    prose(command.description ?? `${summary}.`),
    ...(args.length === 0
      ? []
      : [
          '.Pp',
          'The arguments are as follows:',
          '.Bl -tag -width Ds',
          ...args.flatMap(({ name, description }) => [
            `.It Ar ${quoted(name.toUpperCase())}`,
            prose(description ?? ''),
          ]),
          '.El',
        ]),
    ...(flags.length === 0 ? [] : ['.Pp', 'The options are as follows:', ...flagList(flags)]),
    '.Pp',
    'These options belong to every command:',
    ...flagList(everywhere),
    '.Sh EXIT STATUS',
    '.Bl -tag -width Ds',
    ...exits.flatMap(({ code, meaning }) => [`.It ${code}`, prose(meaning)]),
    '.El',
    ...(examples.length === 0 ? [] : ['.Sh EXAMPLES', ...examples.flatMap((line) => ['.Dl $ '.concat(text(line))])]),
    '.Sh SEE ALSO',
    '.Xr dlv 1',
    '',
  ].join('\n')
}

function overview(commands, { topics }, date) {
  const rows = commands.flatMap(([id, { summary }]) => [`.It Xr ${pageName(id)} 1`, prose(summary ?? '')])
  return [
    `.Dd ${date}`,
    '.Dt DLV 1',
    '.Os',
    '.Sh NAME',
    '.Nm dlv',
    '.Nd command line of a last\\-mile Delivery Service API',
    '.Sh SYNOPSIS',
    '.Nm',
    '.Ar command',
    '.Op Ar FLAGS',
    '.Sh DESCRIPTION',
    prose(
      'Quotes, deliveries, events and signed webhooks of a Delivery Service API, with the whole service inside: without a profile, commands run against a sandbox on this machine.',
    ),
    '.Pp',
    `Topics are ${Object.keys(topics)
      .filter((topic) => !topic.includes(':'))
      .join(', ')}.`,
    'The commands are as follows:',
    '.Bl -tag -width Ds',
    ...rows,
    '.El',
    '',
  ].join('\n')
}

/** The pages of section 1 by file name. `date` is written as mdoc has it: `November 22, 2026`. */
export async function manPages(manifest, oclif, date) {
  const exits = "export { exitExplanations } from './src/cli/explanations/exit-codes.ts'"
  const { exitExplanations } = await bundled('exit-codes', exits)
  const commands = listedCommands(manifest)
  const everywhere = shown(manifest.globalFlags)
  return new Map([
    ['dlv.1', overview(commands, oclif, date)],
    ...commands.map(([id, command]) => [`${pageName(id)}.1`, page(id, command, everywhere, date, exitExplanations)]),
  ])
}

/** Writes the pages into a folder, with the date that the last release was written down. */
export async function writeManPages(folder, date) {
  mkdirSync(folder, { recursive: true })
  const [manifest, { oclif }] = readManifest()
  const pages = await manPages(manifest, oclif, date)
  for (const [name, content] of pages) writeFileSync(join(folder, name), content)
  return [...pages.keys()]
}

/** The day as mdoc writes it, of `SOURCE_DATE_EPOCH` if that is set, so that a build can be repeated. */
export function manDate(environment = process.env) {
  const epoch = environment.SOURCE_DATE_EPOCH
  const day = epoch === undefined ? new Date() : new Date(Number(epoch) * 1_000)
  return day.toLocaleDateString('en-US', { timeZone: 'UTC', year: 'numeric', month: 'long', day: 'numeric' })
}

if (import.meta.main) await writeManPages(process.argv[2] ?? 'man', manDate())
