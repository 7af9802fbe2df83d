import { BaseCommand } from '../cli/command/base-command.js'
import { exitCodes } from '../cli/process/exit-codes.js'
import type { Health } from '../contract/index.js'
import { healthView } from '../render/service-views.js'

export default class HealthCommand extends BaseCommand {
  static override readsSeveral = true
  static override summary = 'Show the health of the service. Exits 9 if it is degraded.'
  static override examples = ['<%= config.bin %> health', '<%= config.bin %> health -q && echo up']

  async run(): Promise<Health> {
    await this.parse(HealthCommand)
    const client = await this.session.client({ needsKey: false })
    const health = await client.getHealth()
    await this.session.show(healthView, health)
    if (health.status !== 'healthy') this.session.endWith(exitCodes.otherOutcome)
    return health
  }
}
