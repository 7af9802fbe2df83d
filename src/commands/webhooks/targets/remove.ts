import { Args, Flags } from '@oclif/core'
import { BaseCommand } from '../../../cli/command/base-command.js'
import { journalFlag } from '../../../cli/journal/place.js'
import { Journals } from '../../../cli/webhooks/journals.js'
import { UsageError } from '../../../contract/index.js'
import type { JournalTarget } from '../../../listener/index.js'
import { answerView } from '../../../render/cards.js'
import { hourMs } from '../../../shared/durations.js'
import { namesMeant } from '../../../shared/target-name.js'
import { shownUrl } from '../../../shared/web-address.js'

export default class RemoveTarget extends BaseCommand {
  static override summary = 'Forget a target and give up the events that wait for it.'
  static override description =
    'Asks first if events wait. They stay in the journal, where they count as given up; webhooks resend sends them. A forwarder that still runs with this --forward-to makes the URL a target again within an hour: stop it first. A journal in a file can be changed only while no listener runs.'
  static override examples = [
    '<%= config.bin %> webhooks targets remove http://old-shop:3000/hooks --journal postgres://dlv@one:5432,two:5432/dlv',
    '<%= config.bin %> webhooks targets remove http://old-shop:3000/hooks --yes',
  ]
  static override args = {
    url: Args.string({ description: 'URL as webhooks targets list shows it', required: true, ignoreStdin: true }),
  }
  static override flags = {
    ...journalFlag,
    yes: Flags.boolean({ char: 'y', summary: 'Give up what waits without asking' }),
  }

  private journals!: Journals

  async run(): Promise<unknown> {
    const { args, flags } = await this.parse(RemoveTarget)
    this.journals = new Journals(this.session, flags.journal)
    const targets = await (await this.journals.open()).targets()
    const names = namesMeant(args.url, [...new Set(targets.map(({ url }) => url))])
    const found = targets.filter(({ url }) => names.includes(url))
    const [target] = found
    if (target === undefined) throw unknownTarget(args.url.includes('#') ? args.url : shownUrl(args.url), targets)
    if (names.length > 1)
      throw new UsageError(`${shownUrl(args.url)} means ${names.length} targets, which differ in user or query.`, {
        hint: `Name one of them: ${names.join(', ')}.`,
      })
    for (const one of found) this.warnIfNamed(one)
    const pending = found.reduce((sum, one) => sum + one.pending, 0)
    const text = `Remove ${target.url} and give up ${pending} ${pending === 1 ? 'event that waits' : 'events that wait'} for it?`
    const isConfirmed =
      pending === 0 || flags.yes || (await this.session.confirmed(text, { undone: 'Nothing was removed.' }))
    if (!isConfirmed) return undefined
    const { removeTarget } = await import('../../../listener/index.js')
    const place = await this.journals.place()
    const { read: accounts } = await this.journals.account(place)
    const givenUp = await removeTarget(place, target.url, this.session.context.env, { accounts })
    const result = { url: target.url, givenUp }
    await this.session.show(answerView, result)
    return result
  }

  /** Warns if a forwarder may still use the target: it registers its targets at the start and every hour. */
  private warnIfNamed({ url, namedAt }: JournalTarget): void {
    const ageMs = this.session.context.nowMs() - Date.parse(namedAt ?? '')
    if (!(ageMs < 1.1 * hourMs)) return
    this.session.notices.warn(`A forwarder named ${url} within the last hour. If it still runs, stop it first.`)
  }
}

function unknownTarget(url: string, targets: readonly JournalTarget[]): UsageError {
  const known = targets.slice(0, 5).map((target) => target.url)
  const hint =
    known.length === 0
      ? 'It has none: dlv webhooks listen --forward-to URL names one.'
      : `Its targets: ${known.join(', ')}.`
  return new UsageError(`${url} is not a target of this journal.`, { hint })
}
