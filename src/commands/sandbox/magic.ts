import { Args } from '@oclif/core'
import { BaseCommand } from '../../cli/command/base-command.js'
import { controlOf } from '../../cli/sandbox/control.js'
import { UsageError } from '../../contract/index.js'
import { type MagicRow, magicView } from '../../render/sandbox-lists.js'
import { didYouMean, suggestions } from '../../shared/word-match.js'

export default class SandboxMagic extends BaseCommand {
  static override summary = 'List the magic values that force an outcome.'
  static override examples = [
    '<%= config.bin %> sandbox magic',
    '<%= config.bin %> sandbox magic phone',
    '<%= config.bin %> sandbox magic gate_closed',
  ]
  static override args = {
    word: Args.string({ description: 'Only values containing this word', ignoreStdin: true }),
  }

  async run(): Promise<MagicRow[]> {
    const { args } = await this.parse(SandboxMagic)
    const control = await controlOf(this.session)
    const catalogue = (await control('GET', '/magic')) as MagicRow[]
    const rows = args.word === undefined ? catalogue : rowsWith(args.word, catalogue)
    await this.session.show(magicView, rows)
    return rows
  }
}

/** The rows that contain a word. Throws `UsageError` if there is none. */
function rowsWith(word: string, catalogue: readonly MagicRow[]): MagicRow[] {
  const sought = word.toLowerCase()
  const rows = catalogue.filter((row) => Object.values(row).some((text) => String(text).toLowerCase().includes(sought)))
  if (rows.length > 0) return rows
  const words = catalogue.flatMap(({ channel, value }) => [channel, ...value.split(/\W+/)])
  const near = suggestions(word, [...new Set(words)])
  throw new UsageError(`No magic value contains "${word.slice(0, 80)}".`, {
    hint: didYouMean(near) ?? 'dlv sandbox magic lists all of them.',
  })
}
