import type { HttpTrace } from '../../client/index.js'
import { type ProseStyle, plainLines, plainText, prose } from '../../render/plain-text.js'
import { paint, type Style } from '../../render/style.js'
import { onAccount } from '../../shared/command-words.js'
import type { OutputStream, ProcessContext } from '../process/context.js'
import { canAnimate } from '../process/terminal.js'

/**
 * Notices and warnings on stderr. With `--json` they are held back: they are printed after a success and dropped after
 * a failure, so that stderr has only one object.
 */
export class Notices {
  private readonly held: string[] = []
  private holds = false

  constructor(
    private readonly stderr: OutputStream,
    private readonly style: Pick<Style, 'colour'> & ProseStyle,
    /** Whether `--json` holds everything back: of several accounts, for all of them. */
    readonly json: { holds: boolean },
    /** The flags that chose the account, for the commands that a text recommends. */
    private readonly accountFlags: string,
  ) {}

  /** Holds everything back until `resume`, while a screen is drawn that it would overwrite. */
  hold(): void {
    this.holds = true
  }

  /** Ends `hold`. With `--json`, notices are delayed in any case. */
  resume(): void {
    this.holds = false
    this.flush()
  }

  /** The command stays, such as behind its ready line: what it says is said at once, also with `--json`. */
  stay(): void {
    this.json.holds = false
    this.flush()
  }

  /** A notice. */
  notice(text: string): void {
    this.print(paint(this.style, 'dim', prose(this.plain(text), this.style)))
  }

  /** A warning. */
  warn(text: string): void {
    this.print(prose(`${paint(this.style, 'yellow', 'warning:')} ${this.plain(text)}`, this.style))
  }

  /** A warning of an error that ends nothing. */
  warnOf(error: unknown): void {
    this.warn(error instanceof Error ? error.message : String(error))
  }

  private plain(text: string): string {
    return onAccount(plainLines(text), this.accountFlags)
  }

  /** A line without formatting, such as a trace. */
  print(line: string): void {
    this.held.push(line)
    this.flush()
  }

  private flush(): void {
    if (!this.holds && !this.json.holds) this.release()
  }

  /** Prints the delayed notices; called when the command has succeeded. */
  release(): void {
    for (const line of this.held.splice(0)) this.stderr.write(`${line}\n`)
  }
}

const eraseLine = '\r\u001b[2K'
const everyMs = 100

/** Shows on a terminal how far a command is; elsewhere nothing. `clear` removes the line. */
export function progressLine({ stderr, env }: ProcessContext): { show(text: string): void; clear(): void } {
  if (!canAnimate({ stderr, env })) return { show: () => {}, clear: () => {} }
  let lastMs = Number.NEGATIVE_INFINITY
  let isDrawn = false
  return {
    show(text) {
      const nowMs = performance.now()
      if (nowMs - lastMs < everyMs) return
      lastMs = nowMs
      isDrawn = true
      stderr.write(`${eraseLine}${text}`)
    },
    clear() {
      if (isDrawn) stderr.write(eraseLine)
      isDrawn = false
    },
  }
}

/**
 * The lines that `--verbose` prints for an attempt: request, response, and what was unknown in it. Already redacted.
 */
export function traceLines(trace: HttpTrace, style: Pick<Style, 'colour'>): string[] {
  const { method, url, attempt, status, durationMs, error, retryInMs } = trace
  const dim = (text: string) => paint(style, 'dim', plainText(text))
  const head = (headers: Readonly<Record<string, string>>, mark: string) =>
    Object.entries(headers).map(([name, value]) => dim(`  ${mark} ${name}: ${value}`))
  const lines = [
    dim(`> ${method} ${url}${attempt > 1 ? ` (attempt ${attempt})` : ''}`),
    ...head(trace.requestHeaders, '>'),
  ]
  if (trace.requestBody !== undefined) lines.push(dim(`  > ${trace.requestBody}`))
  lines.push(
    dim(`< ${status ?? 'no response'} in ${Math.round(durationMs)} ms${error === undefined ? '' : `: ${error}`}`),
  )
  lines.push(...head(trace.responseHeaders, '<'))
  if (trace.responseBody !== undefined) lines.push(dim(`  < ${trace.responseBody}`))
  for (const { kind, path, value } of trace.drift)
    lines.push(dim(`  ! ${kind} ${path}${value === undefined ? '' : ` = ${JSON.stringify(value)}`}`))
  if (retryInMs !== undefined) lines.push(dim(`  trying again in ${Math.round(retryInMs)} ms`))
  return lines
}
