import { stripVTControlCharacters, styleText } from 'node:util'
import { type Command, CommandHelp, Help, type HelpSectionRenderer, type Interfaces } from '@oclif/core'
import type { OutputStream } from '../process/context.js'
import { flagText } from './flag-text.js'
import { type HelpRow, helpList, helpText, helpWidthOf } from './help-text.js'

/** The help of a topic or a command. */
export class DlvHelp extends Help {
  protected override CommandHelpClass = ExamplesFirst

  constructor(
    config: Interfaces.Config,
    private readonly stdout: OutputStream,
    colour: boolean,
  ) {
    super(config, { flagSortOrder: 'none', maxWidth: helpWidthOf(stdout), stripAnsi: !colour })
  }

  override section(header: string, body: SectionBody): string {
    return withHeader(super.section(header, body), this.opts.stripAnsi !== true)
  }

  override wrap(body: string, spacing = this.indentSpacing): string {
    return helpText(this.render(body), this.opts.maxWidth - spacing)
  }

  override renderList(input: ListRows, { indentation }: { indentation: number }): string {
    // A summary comes wrapped for the whole width.
    const rows = (input as [string, string?][]).map(([term, text]): HelpRow => [term, text?.replaceAll('\n', ' ')])
    return helpList(rows, this.opts.maxWidth - indentation)
  }

  protected override summary(command: Command.Loadable): string | undefined {
    const summary = super.summary(command)
    return summary === undefined ? undefined : this.wrap(summary, 0)
  }

  protected override log(...lines: string[]): void {
    this.stdout.write(`${lines.join(' ')}\n`)
  }
}

export type SectionBody = Parameters<CommandHelp['section']>[1]
export type ListRows = Parameters<CommandHelp['renderList']>[0]
type ListOptions = Parameters<CommandHelp['renderList']>[1]

/** oclif decides on colour by its own rules when it is loaded; our setting decides whether the header is bold. */
export function withHeader(section: string, isBold: boolean): string {
  const [first = '', ...rest] = section.split('\n')
  const header = stripVTControlCharacters(first)
  return [isBold ? styleText('bold', header, { validateStream: false }) : header, ...rest].join('\n')
}

const rank = ['EXAMPLES', 'DESCRIPTION', 'USAGE']

/** The help of a command: examples first, then the description, arguments and flags. */
export class ExamplesFirst extends CommandHelp {
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

  override wrap(body: string, spacing = this.indentSpacing): string {
    return helpText(this.render(body), this.opts.maxWidth - spacing)
  }

  override renderList(input: ListRows, { indentation }: ListOptions): string {
    return helpList(input as [string, string?][], this.opts.maxWidth - indentation)
  }

  /** One line per example, as it is typed; we never wrap it. */
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

  protected override arg(arg: Command.Arg.Any): string {
    const name = `${arg.name.toUpperCase()}${arg.multiple ? '...' : ''}`
    return arg.required ? name : `[${name}]`
  }

  protected override args(args: Command.Arg.Any[]): [string, string | undefined][] | undefined {
    const described = args.filter(({ description }) => description !== undefined)
    if (described.length === 0) return undefined
    return described.map((arg) => [this.arg(arg), arg.description])
  }

  protected override flags(flags: Command.Flag.Any[]): [string, string | undefined][] | undefined {
    if (flags.length === 0) return undefined
    const anyShort = flags.some(({ char }) => char !== undefined)
    return flags.map((flag) => {
      const short = flag.char === undefined ? (anyShort ? '    ' : '') : `-${flag.char}, `
      const name = flag.type === 'boolean' && flag.allowNo ? `--[no-]${flag.name}` : `--${flag.name}`
      return [`${short}${name}${this.valueLabel(flag)}`, flagText(flag)]
    })
  }

  /** `=FILE`, with the name underlined. */
  private valueLabel(flag: Command.Flag.Any): string {
    if (flag.type === 'boolean') return ''
    const name = [flag.helpValue ?? 'VALUE'].flat().join(' ')
    const shown = this.opts.stripAnsi ? name : styleText('underline', name, { validateStream: false })
    return `=${shown}${flag.multiple ? '...' : ''}`
  }

  /** Global flags come last. */
  protected override groupFlags(flags: Command.Flag.Any[]) {
    const { flagGroups, mainFlags } = super.groupFlags(flags)
    const names = Object.keys(flagGroups).sort((a, b) => Number(a === 'global') - Number(b === 'global'))
    return { mainFlags, flagGroups: Object.fromEntries(names.map((name) => [name, flagGroups[name] ?? []])) }
  }
}
