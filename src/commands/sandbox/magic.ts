import { Args } from '@oclif/core'
import { SandboxCommand } from '../../cli/sandbox/sandbox-command.js'
import { type MagicRow, magicView } from '../../render/magic-view.js'

export default class SandboxMagic extends SandboxCommand {
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
    const control = await this.control()
    const catalogue = (await control('GET', '/magic')) as MagicRow[]
    const word = args.word?.toLowerCase() ?? ''
    const rows = catalogue.filter((row) => Object.values(row).some((text) => String(text).toLowerCase().includes(word)))
    await this.show(magicView, rows)
    return rows
  }
}
