// Writes docs/commands/ from oclif.manifest.json, so that the pages match the program's help.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { flagText } from '../src/cli/program/flag-text.ts'
import { listedCommands, partsOf, readManifest, shown } from './manifest-commands.js'

const folder = 'docs/commands'

const nameOf = (id) => id.replaceAll(':', ' ')

/** Escapes text for a table's cell. */
const cellOf = (text) => (text ?? '').replaceAll('|', '\\|').replaceAll('\n', ' ')

/** A command is described on the page of its topic; a command without a topic has its own page. */
const pageOf = (id) => id.split(':')[0]

function flagWord({ name, char, type, helpValue, allowNo, multiple }) {
  const long = allowNo ? `--[no-]${name}` : `--${name}`
  const value = type === 'option' ? ` ${helpValue ?? 'VALUE'}` : ''
  return `\`${char === undefined ? '' : `-${char}, `}${cellOf(long + value)}\`${multiple ? ' …' : ''}`
}

function flagTable(flags, title = 'Flags') {
  const rows = flags.map((flag) => `| ${flagWord(flag)} | ${cellOf(flagText(flag))} |`)
  return [`| ${title} | |`, '|---|---|', ...rows].join('\n')
}

/** A table for each group of flags, as in the program's help. */
function flagTables(flags) {
  const groups = Map.groupBy(flags, ({ helpGroup }) => helpGroup)
  const titled = [...groups].sort(([one], [other]) => Number(one !== undefined) - Number(other !== undefined))
  return titled.map(([group, own]) =>
    flagTable(own, group === undefined ? 'Flags' : `${group[0].toUpperCase()}${group.slice(1)} flags`),
  )
}

function argWord({ name, required, multiple }) {
  const word = `${name.toUpperCase()}${multiple ? '…' : ''}`
  return required ? word : `[${word}]`
}

function commandSection(id, command) {
  const { args, flags, examples } = partsOf(command)
  const usage = ['dlv', nameOf(id), ...args.map(argWord), '[FLAGS]'].join(' ')
  return [
    `## dlv ${nameOf(id)}`,
    command.summary,
    ['```console', ...examples.map((line) => `$ ${line}`), '```'].join('\n'),
    command.description,
    `Usage: \`${usage}\``,
    ...(args.length === 0
      ? []
      : [
          [
            '| Argument | |',
            '|---|---|',
            ...args.map((arg) => `| \`${argWord(arg)}\` | ${cellOf(arg.description)} |`),
          ].join('\n'),
        ]),
    ...flagTables(flags),
    ...(command.aliases.length === 0
      ? []
      : [`The same: ${command.aliases.map((alias) => `\`dlv ${nameOf(alias)}\``).join(', ')}`]),
  ]
    .filter(Boolean)
    .join('\n\n')
}

const note = '<!-- Written by scripts/command-docs.js from oclif.manifest.json: npm run docs -->'

/** The pages by file name, from the manifest and the `oclif` block of package.json. */
export function commandPages(manifest, { topics }) {
  const commands = listedCommands(manifest)
  const names = [...new Set(commands.map(([id]) => pageOf(id)))]
  const pages = new Map()
  const index = []
  for (const name of names) {
    const own = commands.filter(([id]) => pageOf(id) === name)
    const intro = topics[name]?.description
    const sections = own.map(([id, command]) => commandSection(id, command))
    pages.set(`${name}.md`, `${[note, `# ${name}`, intro, ...sections].filter(Boolean).join('\n\n')}\n`)
    for (const [id, { summary }] of own)
      index.push(`| [\`dlv ${nameOf(id)}\`](${name}.md#dlv-${id.replaceAll(':', '-')}) | ${cellOf(summary)} |`)
  }
  pages.set(
    'README.md',
    `${[
      note,
      '# Commands',
      'What `dlv COMMAND --help` says, in one place.',
      ['| Command | |', '|---|---|', ...index].join('\n'),
      '## Flags of every command',
      flagTable(shown(manifest.globalFlags)),
    ].join('\n\n')}\n`,
  )
  return pages
}

if (import.meta.main) {
  const [manifest, { oclif }] = readManifest()
  const pages = commandPages(manifest, oclif)
  mkdirSync(folder, { recursive: true })
  for (const file of readdirSync(folder)) if (!pages.has(file)) rmSync(`${folder}/${file}`)
  for (const [file, text] of pages) writeFileSync(`${folder}/${file}`, text)
}
