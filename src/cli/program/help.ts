import { type Command, Help, type Interfaces } from '@oclif/core'
import type { OutputStream } from '../process/context.js'
import { ExamplesFirst, type ListRows, type SectionBody, withHeader } from './command-help.js'
import { helpList, helpText } from './help-text.js'

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

  override wrap(body: string, spacing = this.indentSpacing): string {
    return helpText(this.render(body), this.opts.maxWidth - spacing)
  }

  override renderList(input: ListRows, { indentation }: { indentation: number }): string {
    return helpList(input as [string, string?][], this.opts.maxWidth - indentation)
  }

  protected override summary(command: Command.Loadable): string | undefined {
    const summary = super.summary(command)
    return summary === undefined ? undefined : this.wrap(summary, 0)
  }

  override formatRoot(): string {
    const rows = start.map(([command, does]): [string, string] => [`$ ${command}`, does])
    return [this.wrap(this.config.pjson.description ?? '', 0), this.section('START HERE', rows)].join('\n\n')
  }

  protected override log(...lines: string[]): void {
    this.stdout.write(`${lines.join(' ')}\n`)
  }

  protected override async showRootHelp(): Promise<void> {
    await super.showRootHelp()
    this.log(this.wrap('dlv COMMAND --help shows examples and flags. Exit codes: dlv explain 2 (or any other).', 0))
  }
}
