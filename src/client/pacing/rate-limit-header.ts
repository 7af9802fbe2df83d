import { headers as names } from '../../contract/index.js'
import type { HeaderReader } from '../transport/transport.js'

/** The number of requests allowed in any window of a length. */
export interface RatePolicy {
  quota: number
  windowMs: number
}

/** What an answer says of the allowance. */
export interface Allowance {
  policies: RatePolicy[]
  /** Requests left until the reset, the scarcest item's. */
  remaining: number | undefined
  /** Milliseconds until `remaining` is renewed. */
  resetMs: number | undefined
}

/**
 * Reads `RateLimit` and `RateLimit-Policy`, as a token (`default;r=5;t=1`), a quoted string (`"default";r=5;t=1`) or
 * the older list (`limit=20, remaining=5, reset=1`), with several items and parameters in any order; failing these, the
 * `X-RateLimit-…` headers, whose reset is a time and not a delay.
 *
 * @param nowMsOf the service's time, which is asked for only if a header needs it
 */
export function readAllowance(headers: HeaderReader, nowMsOf: (headers: HeaderReader) => number): Allowance {
  const limit = headers.get(names.rateLimit)
  const policy = headers.get(names.rateLimitPolicy)
  if (limit === null && policy === null) return { policies: [], ...nothingSaid, ...legacyState(headers, nowMsOf) }
  const plain = plainState.exec(limit ?? '')
  if (plain !== null)
    return { policies: policiesOf(policy), remaining: Number(plain[1]), resetMs: Number(plain[2]) * 1_000 }
  const items = parseItems(limit ?? '')
  const policies = [...parseItems(policy ?? ''), ...items].flatMap(policyOf)
  const state = scarcest(items.flatMap(stateOf)) ?? olderState(items) ?? legacyState(headers, nowMsOf)
  return { policies: distinct(policies), remaining: state?.remaining, resetMs: state?.resetMs }
}

/** `default;r=5;t=1`, as nearly every answer of a run has it. */
const plainState = /^[\w-]+;r=(\d{1,15});t=(\d{1,9})$/

let lastPolicy: { text: string | null; policies: RatePolicy[] } = { text: null, policies: [] }

/** The policies of a header that stays the same from answer to answer. */
function policiesOf(text: string | null): RatePolicy[] {
  if (text !== lastPolicy.text) lastPolicy = { text, policies: distinct(parseItems(text ?? '').flatMap(policyOf)) }
  return lastPolicy.policies
}

const nothingSaid = { remaining: undefined, resetMs: undefined }

interface State {
  remaining: number
  resetMs: number | undefined
}

function stateOf({ parameters }: Item): State[] {
  const remaining = parameters.get('r')
  const seconds = parameters.get('t')
  return remaining === undefined ? [] : [{ remaining, resetMs: seconds === undefined ? undefined : seconds * 1_000 }]
}

function scarcest(states: State[]): State | undefined {
  return states.reduce<State | undefined>(
    (least, state) => (least === undefined || state.remaining < least.remaining ? state : least),
    undefined,
  )
}

/** `limit=20, remaining=5, reset=1`: each item is a parameter of its own. */
function olderState(items: Item[]): State | undefined {
  const all = new Map(items.flatMap(({ parameters }) => [...parameters]))
  const remaining = all.get('remaining')
  const seconds = all.get('reset')
  return remaining === undefined
    ? undefined
    : { remaining, resetMs: seconds === undefined ? undefined : seconds * 1_000 }
}

function legacyState(headers: HeaderReader, nowMsOf: (headers: HeaderReader) => number): State | undefined {
  const remaining = numberIn(headers.get(names.legacyRemaining))
  const resetAtSeconds = numberIn(headers.get(names.legacyReset))
  if (remaining === undefined) return undefined
  return {
    remaining,
    resetMs: resetAtSeconds === undefined ? undefined : Math.max(0, resetAtSeconds * 1_000 - nowMsOf(headers)),
  }
}

/** `default;q=20;w=1`, or `20;w=1` of older drafts. */
function policyOf({ name, parameters }: Item): RatePolicy[] {
  const quota = parameters.get('q') ?? numberIn(name)
  const seconds = parameters.get('w')
  return quota === undefined || seconds === undefined || quota < 1 || seconds <= 0
    ? []
    : [{ quota: Math.floor(quota), windowMs: seconds * 1_000 }]
}

function distinct(policies: RatePolicy[]): RatePolicy[] {
  const byText = new Map(policies.map((policy) => [`${policy.quota}/${policy.windowMs}`, policy]))
  return [...byText.values()]
}

interface Item {
  name: string
  parameters: Map<string, number>
}

/** Splits at commas and semicolons outside quotes; parameters that are no numbers are left out. */
function parseItems(text: string): Item[] {
  return splitOutsideQuotes(text, ',').map((member) => {
    const [name = '', ...rest] = splitOutsideQuotes(member, ';')
    const pairs = (name.includes('=') ? [name, ...rest] : rest).flatMap((parameter): [string, number][] => {
      const at = parameter.indexOf('=')
      const value = numberIn(parameter.slice(at + 1))
      return at < 1 || value === undefined ? [] : [[parameter.slice(0, at).trim().toLowerCase(), value]]
    })
    return { name, parameters: new Map(pairs) }
  })
}

function splitOutsideQuotes(text: string, separator: string): string[] {
  // Each answer of a run is read so, and hardly any has quotes.
  const parts = text.includes('"') ? splitQuoted(text, separator) : text.split(separator)
  return parts.map((part) => part.trim()).filter((part) => part !== '')
}

function splitQuoted(text: string, separator: string): string[] {
  const parts = ['']
  let isQuoted = false
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? ''
    if (character === '"' && !(isQuoted && text[at - 1] === '\\')) isQuoted = !isQuoted
    if (character === separator && !isQuoted) parts.push('')
    else parts[parts.length - 1] += character
  }
  return parts
}

/** A number that is not negative, quoted or bare; nothing else. */
function numberIn(text: string | null): number | undefined {
  const bare = /^"?(\d{1,15}(?:\.\d{1,9})?)"?$/.exec(text?.trim() ?? '')?.[1]
  return bare === undefined ? undefined : Number(bare)
}
