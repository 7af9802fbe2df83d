import type { Style } from '../../render/style.js'
import { wantsColour } from './colour.js'
import type { OutputStream, ProcessContext } from './context.js'

type Variables = Readonly<Record<string, string | undefined>>

const narrowest = 60
const widest = 200

/** Asked for when a time is drawn: the first question to `Intl` takes milliseconds. */
let ownZone: string | undefined

/** Whether a variable that is on or off is on. */
export function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '' && value !== '0' && value !== 'false'
}

/** How to draw on a stream: colour, width, zone and the reader's wishes. */
export function styleFor(stream: OutputStream, env: Variables, colourFlag: boolean | undefined, nowMs: number): Style {
  const terminal = stream.isTTY === true
  return {
    terminal,
    colour: wantsColour(colourFlag, env, terminal),
    columns: Math.min(widest, Math.max(narrowest, stream.columns ?? 80)),
    accessible: isSet(env.DLV_ACCESSIBLE),
    nowMs,
    get timeZone() {
      ownZone ??= Intl.DateTimeFormat().resolvedOptions().timeZone
      return ownZone
    },
  }
}

/** Whether a question can be asked at all: a person on both ends, and nobody said not to. */
export function canAsk({ stdin, stderr, env }: ProcessContext, noInput: boolean): boolean {
  return stdin.isTTY === true && stderr.isTTY === true && !noInput && !isSet(env.DLV_NO_INPUT) && !isSet(env.CI)
}

/** Whether lines that rewrite themselves are wanted: on a terminal's stderr, outside CI, and not read aloud. */
export function canAnimate({ stderr, env }: Pick<ProcessContext, 'stderr' | 'env'>): boolean {
  return stderr.isTTY === true && !isSet(env.CI) && env.TERM !== 'dumb' && !isSet(env.DLV_ACCESSIBLE)
}
