import { sleep } from '../../shared/sleep.js'
import type { Probe, ProbeResponse } from './probe.js'
import type { ConformanceCase, Result } from './rules.js'

/** Judged once all cases have been played at a receiver that can end because of them. */
export const alive = { id: 'alive', rule: 'survives', title: 'it still answers after all of these' } as const

const stoppedAnswering: Result = { status: 'skipped', reason: 'the receiver had stopped answering' }

/** Number of requests without an answer after which a receiver hangs. */
const mostTimeouts = 4
/** How long a supervisor may take to start a receiver again. */
const restartMs = 3_000
const betweenTriesMs = 250

/** Whether a receiver still runs while cases are played at it, and which of them ended it. */
interface Life {
  /** The result of a case, which says nothing about its rule if the receiver ended before it answered. */
  play(one: ConformanceCase): Promise<Result>
  /** Whether it survived. */
  judge(): Result
}

export function createLife(probe: Probe): Life {
  /** Why nothing more is played. */
  let end: { how: 'hangs' | 'ended'; reason: string } | undefined
  let timeouts = 0
  let looking: Promise<Fate> | undefined
  const enders: string[] = []
  let restarts = 0

  const note = (response: ProbeResponse) => {
    if (response.status !== undefined) timeouts = 0
    else if (response.timedOut) timeouts++
    if (timeouts >= mostTimeouts)
      end ??= { how: 'hangs', reason: `${response.summary}, ${mostTimeouts} times in a row` }
  }

  async function attempt(one: ConformanceCase): Promise<{ result: Result; lost: ProbeResponse | undefined }> {
    const sent: ProbeResponse[] = []
    const watched: Probe = {
      ...probe,
      async send(request) {
        const response = await probe.send(request)
        sent.push(response)
        note(response)
        return response
      },
    }
    const result = await one.play(watched)
    return { result, lost: sent.find(({ status, timedOut }) => status === undefined && !timedOut) }
  }

  return {
    async play(one) {
      if (end !== undefined) return stoppedAnswering
      const { result, lost } = await attempt(one)
      if (lost === undefined) return result
      looking ??= lookFor(probe).finally(() => {
        looking = undefined
      })
      const fate = await looking
      // Played alone, that case has shown by itself that the receiver did not survive it.
      if (fate.is === 'running' || one.rule === 'bounded') {
        if (fate.is === 'ended') end ??= { how: 'ended', reason: fate.reason }
        return result
      }
      // A refused connection came too late to have ended it.
      const isVictim = lost.failure === 'refused'
      if (!isVictim) enders.push(`"${one.title}"`)
      if (fate.is === 'ended') {
        end ??= { how: 'ended', reason: fate.reason }
        return isVictim ? stoppedAnswering : { status: 'skipped', reason: 'the receiver ended during this case' }
      }
      restarts++
      return isVictim
        ? (await attempt(one)).result
        : { status: 'skipped', reason: 'the receiver ended during this case' }
    },
    judge() {
      const during = enders.length === 0 ? '' : ` during ${enders.join(' or ')}`
      if (end?.how === 'hangs') return { status: 'skipped', reason: end.reason }
      if (end !== undefined)
        return { status: 'failed', reason: `it ended${during} (${end.reason}); what came after that was skipped` }
      if (restarts > 0) return { status: 'failed', reason: `it ended${during} and was started again` }
      return { status: 'passed', reason: 'it answers' }
    },
  }
}

type Fate = { is: 'running' | 'restarted' } | { is: 'ended'; reason: string }

/** Whether a receiver that closed a connection, or took none, still runs. */
async function lookFor(probe: Probe): Promise<Fate> {
  let refused: string | undefined
  for (let waitedMs = 0; waitedMs <= restartMs; waitedMs += betweenTriesMs) {
    const { status, timedOut, summary } = await probe.send(probe.event('delivery.accepted'))
    if (status !== undefined || timedOut) return { is: refused === undefined ? 'running' : 'restarted' }
    refused = summary
    await sleep(betweenTriesMs)
  }
  return { is: 'ended', reason: refused ?? '' }
}
