import { type Command, Help, type Interfaces } from '@oclif/core'
import type { OutputStream } from '../process/context.js'
import { ExamplesFirst, type ListRows, type SectionBody, withHeader } from './command-help.js'
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
