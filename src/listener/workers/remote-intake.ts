import { concatBytes } from '../../shared/bytes.js'
import type { Arrival } from '../intake.js'
import type { Appended } from '../journal/event.js'
import type { DescribedArrival, FromWorker, NumberedOutcome, Outcome } from './messages.js'

/** The intake of a worker: hands verified events to the process that writes the journal. */
export interface RemoteIntake {
  /** Resolves once the event is on disk; rejects if the disk refused. */
  ingest(arrival: Arrival): Promise<Pick<Appended, 'outcome'>>
  /** Resolves once the journal has taken a write that leaves no trace. */
  probe(): Promise<void>
  /** Takes what the other process says of earlier ones. */
  settle(settled: readonly NumberedOutcome[]): void
}

interface Waiting {
  resolve(outcome: Outcome): void
  reject(error: Error): void
}

/** All events of one turn of the event loop leave in one message. */
export function remoteIntake(send: (message: FromWorker) => void): RemoteIntake {
  const waiting = new Map<number, Waiting>()
  let described: DescribedArrival[] = []
  let bodies: Uint8Array[] = []
  let last = 0

  function flush() {
    const message = { kind: 'arrivals', described: JSON.stringify(described), bodies: concatBytes(bodies) } as const
    described = []
    bodies = []
    send(message)
  }

  return {
    ingest({ acceptance, rawHeaders, body }) {
      const number = ++last
      const { id, timestampSeconds, secretIndex, skewSeconds, warnings } = acceptance
      if (described.length === 0) setImmediate(flush)
      described.push({
        number,
        id,
        timestampSeconds,
        secretIndex,
        skewSeconds,
        isEvent: acceptance.event !== undefined,
        warnings,
        rawHeaders,
        bodyBytes: body.length,
      })
      bodies.push(body)
      return new Promise((resolve, reject) =>
        waiting.set(number, {
          resolve: (outcome) => resolve({ outcome: outcome === 'ready' ? 'new' : outcome }),
          reject,
        }),
      )
    },
    probe() {
      const number = ++last
      send({ kind: 'probe', number })
      return new Promise((resolve, reject) => waiting.set(number, { resolve: () => resolve(), reject }))
    },
    settle(settled) {
      for (const [number, outcome] of settled) {
        const { resolve, reject } = waiting.get(number) ?? {}
        waiting.delete(number)
        if (typeof outcome === 'object') reject?.(new Error(outcome.error))
        else resolve?.(outcome)
      }
    },
  }
}
