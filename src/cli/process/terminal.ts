import type { Style } from '../../render/style.js'
import { isSet, wantsColour } from './colour.js'
import type { OutputStream, ProcessContext } from './context.js'

type Variables = Readonly<Record<string, string | undefined>>

const narrowest = 40
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

/** Terminals by `TERM_PROGRAM`, and the first version that shows links. */
const programs: Readonly<Record<string, readonly [major: number, minor: number]>> = {
  'iTerm.app': [3, 1],
  WezTerm: [0, 0],
  vscode: [1, 72],
  ghostty: [0, 0],
  zed: [0, 0],
  rio: [0, 0],
}
const terms: ReadonlySet<string> = new Set(['xterm-kitty', 'alacritty', 'xterm-ghostty', 'foot', 'contour'])

/**
 * Whether links can be written to a stream, by the first of these that decides: `FORCE_HYPERLINK`, `--no-color` and
 * `NO_COLOR`, CI, whether the stream is a terminal that is known to show them.
 */
export function wantsLinks(colourFlag: boolean | undefined, env: Variables, isTerminal: boolean): boolean {
  if (!isTerminal) return false
  const { FORCE_HYPERLINK: forced, TERM: term, TERM_PROGRAM: program, TERM_PROGRAM_VERSION: version } = env
  if (forced !== undefined) return forced === '' || isSet(forced)
  if (colourFlag === false || (env.NO_COLOR !== undefined && env.NO_COLOR !== '')) return false
  if (isSet(env.CI) || term === 'dumb') return false
  if (env.WT_SESSION !== undefined || env.KONSOLE_VERSION !== undefined || terms.has(term ?? '')) return true
  // VTE 0.50.0 crashed on links.
  if (env.VTE_VERSION !== undefined) return Number(env.VTE_VERSION) > 5_000
  const since = program !== undefined && Object.hasOwn(programs, program) ? programs[program] : undefined
  if (since === undefined) return false
  const [major = 0, minor = 0] = (version ?? '').split('.').map(Number)
  return since[0] === 0 || major > since[0] || (major === since[0] && minor >= since[1])
}
