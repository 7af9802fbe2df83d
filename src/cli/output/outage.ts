import { type CallOptions, systemClock } from '../../client/index.js'
import { isOutage } from '../../client/internal.js'
import { ApiError } from '../../contract/index.js'
import { hasProfileKey, type Settings } from '../../profiles/index.js'
import { spanText } from '../../shared/durations.js'
import { isOutOfRoom } from '../../shared/sqlite.js'
import { sentence } from '../../shared/texts.js'
import type { Notices } from './notices.js'

/**
 * How commands that last, and copies, ask for the service's time: a slow start of what answers ends none of them. The limit
 * of `GET /health` may ask for half a minute, which no time is worth.
 */
export const patiently = { timeoutMs: undefined, maxWaitMs: 5_000, retries: {} } satisfies CallOptions

type OutageNotices = Pick<Notices, 'warn' | 'notice'> & Partial<Pick<Notices, 'stay'>>

/** An outage that a command waits out: it is said once when it begins and once when it is over. */
export class Outage {
  readonly #notices: OutageNotices
  #began: { ms: number; over: string } | undefined
  #last: unknown
  readonly #keyRemedy: string | undefined

  /** @param keyRemedy what helps if the key is refused, where another one reaches the command */
  constructor(notices: OutageNotices, keyRemedy?: string) {
    this.#notices = notices
    this.#keyRemedy = keyRemedy
  }

  /** Whether waiting mends this failure, or another key of the profile. */
  canEnd(error: unknown): boolean {
    return isOutage(error) || (this.#keyRemedy !== undefined && isRefusedKey(error))
  }

  /** `over` says who is back, once it is; `meanwhile` what is done until then. */
  began(error: unknown, over = 'The service answers again', meanwhile = 'Waiting for it to end'): void {
    this.#last = error
    if (this.#began !== undefined) return
    this.#began = { ms: performance.now(), over }
    const what = error instanceof Error ? error.message : String(error)
    const end =
      this.#keyRemedy !== undefined && isRefusedKey(error)
        ? `${this.#keyRemedy}: this command continues with it`
        : meanwhile
    this.#notices.stay?.()
    this.#notices.warn(`${sentence(what)} ${end}; nothing is missed. Ctrl-C stops.`)
  }

  /** Begins it if the failure is one that waiting can mend, or another key. */
  beganIf(error: unknown): void {
    if (isOutage(error) || isRefusedKey(error)) this.began(error)
  }

  /** Whether this failure is part of the outage, and told of. */
  isOf(error: unknown): boolean {
    return this.#began !== undefined && this.#last === error
  }

  ended(): void {
    if (this.#began === undefined) return
    const { ms, over } = this.#began
    this.#notices.notice(`${over}, after ${spanText(performance.now() - ms)}.`)
    this.#began = undefined
  }

  /** Asks until it is answered; an outage is waited out once `isKnown`, other failures are thrown. */
  async waitFor<Answer>(
    ask: () => Promise<Answer>,
    { isKnown, signal, pauseMs = 2_000 }: { isKnown(): boolean; signal: AbortSignal; pauseMs?: number },
  ): Promise<Answer> {
    for (;;) {
      try {
        const answer = await ask()
        this.ended()
        return answer
      } catch (error) {
        const isFull = isOutOfRoom(error)
        if (signal.aborted || !isKnown() || !(this.canEnd(error) || isFull)) throw error
        this.began(error, isFull ? 'There is room on the disk again' : undefined)
        await systemClock.sleep(pauseMs, signal)
      }
    }
  }
}

function isRefusedKey(error: unknown): boolean {
  return error instanceof ApiError && error.status === 401
}

/** The remedy for a refused key; `undefined` where a new key of the profile would not reach the command. */
export function keyRemedyOf(settings: Pick<Settings, 'profile' | 'sources'>): string | undefined {
  if (!hasProfileKey(settings)) return undefined
  return `Give profile ${settings.profile} another key (dlv profiles add ${settings.profile} --api-key-stdin)`
}

/** The outages of the service of a session's account, which a refused key begins where another one can end it. */
export async function serviceOutage({
  account,
  notices,
}: {
  account: { settings(): Promise<Settings> }
  notices: Notices
}): Promise<Outage> {
  return new Outage(notices, keyRemedyOf(await account.settings()))
}
