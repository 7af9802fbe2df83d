import { Command } from '@oclif/core'
export default class Health extends Command {
  static override summary = 'probe'
  async run(): Promise<void> {
    this.log('ok')
  }
}
