import type { Style } from '../../render/style.js'
import { isSet, wantsColour } from './colour.js'
import type { OutputStream, ProcessContext } from './context.js'
import { wantsLinks } from './hyperlinks.js'

type Variables = Readonly<Record<string, string | undefined>>

const narrowest = 60
const widest = 200

/** How to draw on a stream: colour, width and the user's preferences. */
export function styleFor(stream: OutputStream, env: Variables, colourFlag: boolean | undefined, nowMs: number): Style {
  const terminal = stream.isTTY === true
  return {
    terminal,
    colour: wantsColour(colourFlag, env, terminal),
    columns: Math.min(widest, Math.max(narrowest, stream.columns ?? 80)),
    accessible: isSet(env.DLV_ACCESSIBLE),
    links: wantsLinks(colourFlag, env, terminal),
    nowMs,
  }
}

/** Whether a prompt is possible: stdin and stderr are a terminal, and prompts are not disabled. */
export function canAsk({ stdin, stderr, env }: ProcessContext, noInput: boolean): boolean {
  return stdin.isTTY === true && stderr.isTTY === true && !noInput && !isSet(env.DLV_NO_INPUT) && !isSet(env.CI)
}

/** Whether to draw lines that are rewritten: on a terminal's stderr, outside CI, and not for a screen reader. */
export function canAnimate({ stderr, env }: Pick<ProcessContext, 'stderr' | 'env'>): boolean {
  return stderr.isTTY === true && !isSet(env.CI) && env.TERM !== 'dumb' && !isSet(env.DLV_ACCESSIBLE)
}
