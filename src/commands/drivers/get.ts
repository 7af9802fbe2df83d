import { Args } from '@oclif/core'
import { BaseCommand } from '../../cli/command/base-command.js'
import type { DriverProfile } from '../../contract/index.js'
import { driverView } from '../../render/service-views.js'

export default class GetDriver extends BaseCommand {
  static override readsSeveral = true
  static override summary = 'Show a driver of your own fleet.'
  static override examples = ['<%= config.bin %> drivers get drv_01ABC']
  static override args = { id: Args.string({ description: 'Driver id', required: true, ignoreStdin: true }) }

  async run(): Promise<DriverProfile> {
    const { args } = await this.parse(GetDriver)
    const client = await this.session.client()
    const driver = await client.getDriver({ driverId: args.id })
    await this.session.show(driverView, driver)
    return driver
  }
}
