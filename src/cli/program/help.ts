import { stripVTControlCharacters, styleText } from 'node:util'
import { type Command, CommandHelp, Help, type HelpSectionRenderer, type Interfaces } from '@oclif/core'
import type { OutputStream } from '../process/context.js'

type SectionBody = Parameters<CommandHelp['section']>[1]

/** oclif decides on colour when it is loaded, by rules of its own: whatever it did, the header is bold if we say so. */
function withHeader(section: string, isBold: boolean): string {
  const [first = '', ...rest] = section.split('\n')
  const header = stripVTControlCharacters(first)
  return [isBold ? styleText('bold', header, { validateStream: false }) : header, ...rest].join('\n')
}

const rank = ['EXAMPLES', 'DESCRIPTION', 'USAGE']

/** A command's help that opens with what one types: examples, then what it does, its arguments and flags. */
class ExamplesFirst extends CommandHelp {
  protected override sections(): { generate: HelpSectionRenderer; header: string }[] {
    const place = (header: string) => (rank.includes(header) ? rank.indexOf(header) : rank.length)
    return super
      .sections()
      .map((section, index) => ({ section, index }))
      .sort((a, b) => place(a.section.header) - place(b.section.header) || a.index - b.index)
      .map(({ section }) => section)
  }

  override section(header: string, body: SectionBody): string {
    return withHeader(super.section(header, body), this.opts.stripAnsi !== true)
  }

  /** The value's name is underlined. */
  protected override flagHelpLabel(flag: Command.Flag.Any, showOptions?: boolean): string {
    const label = stripVTControlCharacters(super.flagHelpLabel(flag, showOptions))
    if (this.opts.stripAnsi || label.includes('|')) return label
    return label.replace(/=(.+)$/, (_, value: string) => `=${styleText('underline', value, { validateStream: false })}`)
  }

  /** One line an example, as it is typed. */
  protected override examples(examples: Command.Example[] | string | undefined): string | undefined {
    const lines = (Array.isArray(examples) ? examples : [examples]).filter((line) => typeof line === 'string')
    return lines.length === 0 ? undefined : lines.map((line) => `$ ${this.render(line)}`).join('\n')
  }

  protected override description(): string | undefined {
    const { description } = this.command
    return description === undefined ? undefined : this.wrap(description)
  }

  protected override usage(): string {
    const words = Object.values(this.command.args)
      .filter(({ hidden }) => !hidden)
      .map((arg) => this.arg(arg))
    return ['$', this.config.bin, this.command.id.replaceAll(':', ' '), ...words, '[FLAGS]'].join(' ')
  }

  /** The flags of every command come last. */
  protected override groupFlags(flags: Command.Flag.Any[]) {
    const { flagGroups, mainFlags } = super.groupFlags(flags)
    const names = Object.keys(flagGroups).sort((a, b) => Number(a === 'global') - Number(b === 'global'))
    return { mainFlags, flagGroups: Object.fromEntries(names.map((name) => [name, flagGroups[name] ?? []])) }
  }
}

const start = [
  ['dlv tour', 'see a delivery from order to verified webhooks, offline'],
  ['dlv deliveries create --file order.json', 'create one in the embedded sandbox'],
  ['dlv profiles add NAME', 'connect an account'],
  ['dlv explain CODE', 'what a status, reason, error or exit code means'],
] as const

const narrowest = 40

function widthOf({ isTTY, columns }: OutputStream): number {
  return isTTY === true && columns !== undefined && columns > 0 ? Math.max(narrowest, columns) : 80
}

/** The program's help. */
export class DlvHelp extends Help {
  protected override CommandHelpClass = ExamplesFirst

  constructor(
    config: Interfaces.Config,
    private readonly stdout: OutputStream,
    colour: boolean,
  ) {
    super(config, { flagSortOrder: 'none', maxWidth: widthOf(stdout), stripAnsi: !colour })
  }

  override section(header: string, body: SectionBody): string {
    return withHeader(super.section(header, body), this.opts.stripAnsi !== true)
  }

  override formatRoot(): string {
    const width = Math.max(...start.map(([command]) => command.length))
    const lines = start.map(([command, does]) => `$ ${command.padEnd(width)}  ${does}`)
    return [this.config.pjson.description ?? '', this.section('START HERE', lines.join('\n'))].join('\n\n')
  }

  protected override log(...lines: string[]): void {
    this.stdout.write(`${lines.join(' ')}\n`)
  }

  protected override async showRootHelp(): Promise<void> {
    await super.showRootHelp()
    this.log('dlv COMMAND --help shows examples and flags. Exit codes: dlv explain 2 (or any other).')
  }
}
