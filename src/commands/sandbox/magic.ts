import { SandboxCommand } from '../../cli/sandbox-command.js'
import { magicView } from '../../render/magic-view.js'

export default class SandboxMagic extends SandboxCommand {
  static override summary = 'List the values that force an outcome: phones, stores, references, ids, keys.'
  static override examples = ['<%= config.bin %> sandbox magic', '<%= config.bin %> sandbox magic | grep gate_closed']

  async run(): Promise<unknown> {
    await this.parse(SandboxMagic)
    const steer = await this.steer()
    const catalogue = await steer('GET', '/magic')
    await this.show(magicView, catalogue)
    return catalogue
  }
}
