import type { ListenerRecord } from './records.js'

/** Holds records back until the listener is ready: what happens before that is told after it. */
export function heldUntilReady(report: (record: ListenerRecord) => void) {
  let held: ListenerRecord[] | undefined = []
  return {
    onRecord(record: ListenerRecord) {
      if (held === undefined) report(record)
      else held.push(record)
    },
    release(ready: ListenerRecord) {
      for (const record of [ready, ...(held ?? [])]) report(record)
      held = undefined
    },
  }
}
