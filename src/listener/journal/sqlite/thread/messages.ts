import type { Appended } from '../../event.js'
import type { EventValues, GroupOutcome, JournalWrite, SmallWrite } from '../writes.js'

/** The input that the thread starts with. */
export interface ThreadSetup {
  file: string
  maxBytes: number | undefined
}

/** A group on its way to the thread. The bodies go as one, since each is a part of a larger buffer that would be copied. */
interface PackedGroup {
  writes: (EventValues | SmallWrite)[]
  /** The lengths of the events' bodies. */
  lengths: number[]
  /** The bodies, one after the other. */
  bodies: Uint8Array<ArrayBuffer>
}

export type ToThread = PackedGroup | 'close'

/** How a group ended: for each write the place of its outcome in `outcomes` and its number, or what the disk said. */
type PackedOutcome = { appended: number[]; seconds: number } | { message: string; errcode: unknown; failed: number }

export type FromThread = PackedOutcome | 'ready'

const outcomes = ['new', 'duplicate', 'conflict'] as const
const noEvent = -1

export function packGroup(group: readonly JournalWrite[]): PackedGroup {
  const writes: PackedGroup['writes'] = []
  const lengths: number[] = []
  let bytes = 0
  for (const write of group) {
    if ('kind' in write) writes.push(write)
    else {
      writes.push(write.values)
      lengths.push(write.body.length)
      bytes += write.body.length
    }
  }
  const bodies = new Uint8Array(bytes)
  let at = 0
  for (const write of group) {
    if ('kind' in write) continue
    bodies.set(write.body, at)
    at += write.body.length
  }
  return { writes, lengths, bodies }
}

export function unpackGroup({ writes, lengths, bodies }: PackedGroup): JournalWrite[] {
  let [event, at] = [0, 0]
  return writes.map((write) => {
    if ('kind' in write) return write
    const start = at
    at += lengths[event++] ?? 0
    return { values: write, body: bodies.subarray(start, at) }
  })
}

export function packOutcome(outcome: GroupOutcome): PackedOutcome {
  if ('error' in outcome) {
    const { error, failed } = outcome
    // Of an error, a thread hands on no more than its message.
    const errcode = error instanceof Error && 'errcode' in error ? error.errcode : undefined
    return { message: error instanceof Error ? error.message : String(error), errcode, failed }
  }
  const appended: number[] = []
  for (const one of outcome.appended) {
    if (one === undefined) appended.push(noEvent, 0)
    else appended.push(outcomes.indexOf(one.outcome), one.seq)
  }
  return { appended, seconds: outcome.seconds }
}

export function unpackOutcome(packed: PackedOutcome): GroupOutcome {
  if ('message' in packed) {
    const { message, errcode, failed } = packed
    return { error: Object.assign(new Error(message), { errcode }), failed }
  }
  const appended: (Appended | undefined)[] = []
  for (let at = 0; at < packed.appended.length; at += 2) {
    const outcome = outcomes[packed.appended[at] ?? noEvent]
    appended.push(outcome === undefined ? undefined : { outcome, seq: packed.appended[at + 1] ?? 0 })
  }
  return { appended, seconds: packed.seconds }
}
