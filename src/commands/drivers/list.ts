import { Flags } from '@oclif/core'
import { BaseCommand } from '../../cli/command/base-command.js'
import type { DriverProfile } from '../../contract/index.js'
import { driverList } from '../../render/service-views.js'

export default class ListDrivers extends BaseCommand {
  static override readsSeveral = true
  static override summary = 'List drivers. A marketplace account may see only those of its active deliveries.'
  static override examples = [
    '<%= config.bin %> drivers list',
    '<%= config.bin %> drivers list --on-duty --team team_north',
  ]
  static override flags = {
    team: Flags.string({ summary: 'Only this team', helpValue: 'TEAM' }),
    'on-duty': Flags.boolean({ summary: 'Only on duty, or --no-on-duty for off duty', allowNo: true }),
  }

  async run(): Promise<DriverProfile[]> {
    const { flags } = await this.parse(ListDrivers)
    const client = await this.session.client()
    const query = {
      teamId: flags.team,
      onDuty: flags['on-duty'],
    }
    const drivers = await client.listDrivers({ query })
    await this.session.show(driverList, drivers)
    return drivers
  }
}
