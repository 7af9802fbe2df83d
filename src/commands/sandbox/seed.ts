import { Flags } from '@oclif/core'
import { archivePaths, readAgain } from '../../archive/index.js'
import { BaseCommand } from '../../cli/command/base-command.js'
import { accountChoice, controlOf } from '../../cli/sandbox/control.js'
import { answerView } from '../../render/cards.js'

export default class SeedSandbox extends BaseCommand {
  static override summary = 'Fill the sandbox with deliveries.'
  static override description =
    'Creates deliveries in every status, all created now, in the account of the API key in use. With --over, the deliveries of a past period, by --count or by day (--per-day), with complete histories: realistic times, driver locations, ETAs, reasons, returns and installations. Active deliveries continue from there. No webhooks are sent for the past; its events are listed.'
  static override examples = [
    '<%= config.bin %> sandbox seed --count 500',
    '<%= config.bin %> sandbox seed --count 30 --over 6h',
    '<%= config.bin %> sandbox seed --over 14d --mix bad-day --seed 7',
    '<%= config.bin %> sandbox seed --over 5h --per-day 9000 --stores 12',
  ]
  static override flags = {
    count: Flags.integer({ char: 'c', summary: 'Number of deliveries (default 100)', min: 1, max: 1_000_000 }),
    over: Flags.string({ summary: 'Past period to fill, such as 14d', helpValue: 'DURATION' }),
    pace: Flags.option({ summary: 'Times between the statuses', options: ['real'] as const, dependsOn: ['over'] })(),
    mix: Flags.option({
      summary: 'Kind of period',
      options: ['typical', 'bad-day', 'holiday'] as const,
      dependsOn: ['over'],
    })(),
    seed: Flags.integer({ summary: 'Seed for repeatable histories', min: 0, dependsOn: ['over'] }),
    'per-day': Flags.integer({
      summary: 'Average deliveries per day, instead of --count (default 30)',
      min: 20,
      max: 20_000,
      dependsOn: ['over'],
      exclusive: ['count'],
    }),
    stores: Flags.integer({
      summary: 'Number of stores that orders come from (default 50)',
      min: 1,
      max: 125,
      dependsOn: ['over'],
    }),
  }

  async run(): Promise<unknown> {
    const { flags } = await this.parse(SeedSandbox)
    const { count, over, pace, mix, seed, 'per-day': perDay, stores } = flags
    const control = await controlOf(this.session)
    const { account: accountId } = await accountChoice(this.session, control)
    const body = { count, over, pace, mix, seed, perDay, stores, accountId }
    const answer = await control('POST', '/seed', body)
    if (over !== undefined) readAgain(archivePaths(this.config.dataDir, await this.session.account.dataName()))
    await this.session.show(answerView, answer)
    return answer
  }
}
