import { UsageError } from '../../../contract/index.js'
import { sentence } from '../../../shared/texts.js'
import type { Ended } from './protocol.js'

/** An expression that failed on the output. Unlike other usage errors, it comes after the command was carried out. */
export class JqFailedError extends UsageError {}

/** An expression that did not finish within `--timeout`. */
export class JqTimeoutError extends UsageError {
  constructor(expression: string, timeoutMs: number) {
    super(`--jq ${quoted(expression)} did not finish within ${timeoutMs / 1_000} s.`, {
      hint: `Allow more time with --timeout, or simplify the expression. ${notUndone}`,
    })
  }
}

const notUndone = 'What the command did is not undone.'

/** The error of an expression, in jq's own words; `undefined` if it succeeded. */
export function failureOf(expression: string, { exitCode, broken, said }: Ended): UsageError | undefined {
  if (exitCode === 0) return undefined
  const named = `--jq ${quoted(expression)}`
  if (exitCode === undefined) return brokenOff(named, broken ?? '', said)
  const [first, ...others] = complaintsOf(said)
  if (notCompiled.test(said))
    return new UsageError(`${named} is not a valid jq expression: ${sentence([first, ...others].join('; '))}`, {
      hint: hintFor(first ?? ''),
    })
  const more = others.length === 0 ? '' : ` And ${others.length} more.`
  if (first !== undefined)
    return new JqFailedError(`${named} failed: ${sentence(first)}${more}`, {
      hint: `${isTimeWithFraction.test(first) ? secondsFirst : 'Use --json to see the input of the expression.'} ${notUndone}`,
    })
  const words = said.trim()
  return new JqFailedError(`${named} halted${words === '' ? ` with exit code ${exitCode}.` : `: ${sentence(words)}`}`)
}

/** The output of `debug` and `stderr` in an expression. */
export function remarksOf({ exitCode, said }: Ended): string {
  const start = said.search(complaint)
  if (start === -1) return exitCode === 0 ? said.trimEnd() : ''
  return said.slice(0, start).trimEnd()
}

/** Why the thread died: out of memory, or a bug. */
export function crashOf(expression: string, error: Error & { code?: string }): Error {
  if (error.code !== 'ERR_WORKER_OUT_OF_MEMORY') return error
  return outOfMemory(`--jq ${quoted(expression)}`)
}

/** The hint for a field without its dot, which jq takes for a function. */
function hintFor(complaint: string): string | undefined {
  const [, name] = /^(\w+)\/0 is not defined/.exec(complaint) ?? []
  return name === undefined ? undefined : `A field has a dot in front: .${name}`
}

/** The service's times have milliseconds, which `fromdate` does not read in any version of jq. */
const isTimeWithFraction = /^date "[^"]*\.\d+Z" does not match format/
const secondsFirst = String.raw`Leave the milliseconds out: sub("\\.[0-9]+Z$"; "Z") | fromdate.`

const notCompiled = /^jq: \d+ compile errors?$/m
const complaint = /^jq: (?:parse )?error/m

/** The error for an expression at which WebAssembly aborted. */
function brokenOff(named: string, broken: string, said: string): JqFailedError {
  if (said.includes('cannot allocate memory')) return outOfMemory(named)
  return new JqFailedError(`${named} failed: too deeply nested (${broken}).`)
}

function outOfMemory(named: string): JqFailedError {
  return new JqFailedError(`${named} needs more than 384 MB of memory.`, {
    hint: 'With -o ndjson, the objects of a list are filtered one by one.',
  })
}

/** jq's errors, without its name, the position in our input and the expression that it repeats. */
function complaintsOf(said: string): string[] {
  return said
    .split(/^jq: (?=(?:parse )?error)/m)
    .slice(1)
    .map((text) => {
      const words = text.replace(notCompiled, '').trimEnd()
      const atTop = / at <top-level>, line (\d+):\n.*$/s.exec(words)
      const told = atTop === null ? words : words.slice(0, atTop.index)
      const line = atTop === null || atTop[1] === '1' ? '' : ` in line ${atTop[1]}`
      return told.replace(/^error(?: \(at [^)]*\))?(?: \(not a string\))?: /, '') + line
    })
}

function quoted(expression: string): string {
  return `"${expression.length > 80 ? `${expression.slice(0, 80)}…` : expression}"`
}
