import { hash } from 'node:crypto'
import { join } from 'node:path'
import { replayList } from '../../render/webhook-views.js'
import { targetName } from '../../shared/target-name.js'
import { type ReplayInput, type ReplayResult, replayEvents, replayProgressFile } from '../../webhooks/index.js'
import { namedKey } from '../../webhooks/internal.js'
import { exitCodes } from '../process/exit-codes.js'
import type { Session } from '../session/session.js'
import type { SendAgainFlags } from './flags.js'
import type { Secrets } from './secrets.js'

/** How the flags resend events: with new signatures or unchanged, and how fast. */
export async function mannerOf(
  secretsOf: Secrets,
  flags: SendAgainFlags,
): Promise<Pick<ReplayInput, 'sign' | 'eventsPerSecond'>> {
  const secrets = flags.verbatim ? [] : await secretsOf.given(flags['secret-file'], flags['allow-weak-secret'])
  await secretsOf.refuseForeign(secrets)
  return {
    sign: flags.verbatim ? 'verbatim' : { secrets: secrets.map(namedKey) },
    eventsPerSecond: flags.rate,
  }
}

/**
 * Sends past events to one target after another and prints each result as it comes; 9 if an event fails. After a
 * failure it continues with other deliveries. The same command sends what is missing, however it was stopped.
 *
 * @param command what identifies this command: its name and arguments
 * @param onDelivered told of each event that a target has accepted, now or in an earlier run
 * @param again the command that sends events which failed or were not reached; the same command unless given
 */
export async function sendAgain(
  session: Session,
  command: readonly unknown[],
  sends: readonly Omit<ReplayInput, 'progress'>[],
  onDelivered: (eventId: string, url: string) => Promise<void> = async () => {},
  again: (eventIds: readonly string[], url: string) => string | undefined = () => undefined,
): Promise<ReplayResult[]> {
  const account = await session.account.dataName()
  const runs = sends.map((send) => {
    const mark = hash('sha256', JSON.stringify([account, command, send.url]), 'hex').slice(0, 16)
    return { send, progress: replayProgressFile(join(session.config.dataDir, 'replays', `${mark}.sent`)) }
  })
  const shown: ReplayResult[] = []
  // Each on a page of its own, so that it is printed as soon as it is known.
  const pages = async function* () {
    for (const { send, progress } of runs) {
      for await (const result of replayEvents({ ...send, afterFailure: 'other-deliveries', progress })) {
        shown.push(result)
        if (result.outcome !== 'failed') await onDelivered(result.eventId, send.url)
        yield [result]
      }
    }
  }
  await session.output.pages(replayList, pages())
  const countOf = (outcome: ReplayResult['outcome']) => shown.filter((result) => result.outcome === outcome).length
  const skipped = countOf('skipped')
  const before = skipped === 0 ? '' : `, ${skipped} sent by an earlier run`
  session.notices.notice(`${countOf('delivered')} delivered${before}.`)
  const failed = shown.filter(({ outcome }) => outcome === 'failed')
  for (const { eventId, error = '', url } of failed) {
    session.notices.warn(`${eventId} failed at ${url}: ${error.replace(/[^.?!]$/, '$&.')}`)
    session.endWith(exitCodes.otherOutcome)
  }
  const held = countOf('held')
  if (held > 0) {
    const events = held === 1 ? 'event of the same delivery is' : 'events of the same deliveries are'
    session.notices.warn(`${held} later ${events} held back, so that the order is kept.`)
  }
  for (const { events, url } of sends) {
    if (!failed.some((result) => result.url === targetName(url))) continue
    const sent = new Set(shown.filter((one) => isSent(one, url)).map(({ eventId }) => eventId))
    const missing = Array.isArray(events) ? events.filter(({ id }) => !sent.has(id)).map(({ id }) => id) : []
    const next = again(missing, url)
    session.notices.notice(
      next === undefined
        ? 'Run the same command with the same events to send the rest.'
        : `${missing.length} not sent. Once ${targetName(url)} takes them: ${next}`,
    )
  }
  const isWhole = failed.length === 0 && !sends.some(({ signal }) => signal?.aborted)
  if (isWhole) for (const { progress } of runs) progress.clear()
  return shown
}

/** Whether the target has the event, from this run or an earlier one. */
function isSent({ url, outcome }: ReplayResult, target: string): boolean {
  return url === targetName(target) && (outcome === 'delivered' || outcome === 'skipped')
}
