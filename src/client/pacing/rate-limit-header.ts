import { headers as names } from '../../contract/index.js'
import type { HeaderReader } from '../transport/transport.js'

/** The number of requests allowed in any window of a length. */
export interface RatePolicy {
  /** The policy's name, such as `default` or `daily`. */
  name?: string | undefined
  /** Requests allowed in any window. */
  quota: number
  /** Length of the window in milliseconds. */
  windowMs: number
}

/** A policy over a longer window is a quota, such as one for the day: it is used as it is needed and not spread. */
export const longestPaceMs = 60_000

/** The remaining quota. */
export interface QuotaState {
  policy: RatePolicy
  remaining: number
  /** Milliseconds until `remaining` is renewed; `undefined` if the service does not say. */
  resetMs: number | undefined
}

/** The allowance according to a response. */
export interface Allowance {
  policies: RatePolicy[]
  /** Requests left until the reset, from the scarcest item that is not a quota. */
  remaining: number | undefined
  /** Milliseconds until `remaining` is renewed. */
  resetMs: number | undefined
  /** The scarcest quota. */
  quota?: QuotaState | undefined
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
  const items = plain === null ? parseItems(limit ?? '') : []
  const own = items.flatMap(policyOf)
  const policies = own.length === 0 ? policiesOf(policy) : distinct([...policiesOf(policy), ...own])
  const states =
    plain === null
      ? items.flatMap(stateOf)
      : [{ name: plain[1] ?? '', remaining: Number(plain[2]), resetMs: Number(plain[3]) * 1_000 }]
  const quotas = policies.every(isPace) ? [] : states.flatMap((state) => quotaOf(state, policies))
  const others = states.filter(({ name }) => !quotas.some((quota) => quota.policy.name === name))
  const state =
    scarcest(others) ?? (quotas.length > 0 ? undefined : (olderState(items) ?? legacyState(headers, nowMsOf)))
  return {
    policies,
    remaining: state?.remaining,
    resetMs: state?.resetMs,
    quota: scarcest(quotas),
  }
}

function quotaOf({ name, remaining, resetMs }: NamedState, policies: readonly RatePolicy[]): QuotaState[] {
  const policy = policies.find((each) => each.name === name)
  return policy === undefined || isPace(policy) ? [] : [{ policy, remaining, resetMs }]
}

function isPace({ windowMs }: RatePolicy): boolean {
  return windowMs <= longestPaceMs
}

/** `20/s`, `500,000/d`, `100/10 s`. */
export function policyText({ quota, windowMs }: RatePolicy): string {
  const unit = units.find(([, unitMs]) => windowMs === unitMs)?.[0] ?? `${windowMs / 1_000} s`
  return `${quota.toLocaleString('en-US')}/${unit}`
}

const units: readonly (readonly [name: string, unitMs: number])[] = [
  ['s', 1_000],
  ['min', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
]

/** `default;r=5;t=1`, as nearly every answer of a run has it. */
const plainState = /^([\w-]+);r=(\d{1,15});t=(\d{1,9})$/

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

interface NamedState extends State {
  name: string
}

function stateOf({ name, parameters }: Item): NamedState[] {
  const remaining = parameters.get('r')
  const seconds = parameters.get('t')
  return remaining === undefined
    ? []
    : [{ name, remaining, resetMs: seconds === undefined ? undefined : seconds * 1_000 }]
}

function scarcest<Each extends State>(states: Each[]): Each | undefined {
  return states.reduce<Each | undefined>(
    (least, state) => (least === undefined || state.remaining < least.remaining ? state : least),
    undefined,
  )
}

/** Reads `limit=20, remaining=5, reset=1`, where each item is a separate parameter. */
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
    : [{ name: parameters.has('q') ? name : undefined, quota: Math.floor(quota), windowMs: seconds * 1_000 }]
}

function distinct(policies: RatePolicy[]): RatePolicy[] {
  const byText = new Map(policies.map((policy) => [`${policy.quota}/${policy.windowMs}`, policy]))
  return [...byText.values()]
}

interface Item {
  name: string
  parameters: Map<string, number>
}

/** Splits at commas and semicolons outside quotes; parameters that are not numbers are left out. */
function parseItems(text: string): Item[] {
  return splitOutsideQuotes(text, ',').map((member) => {
    const [name = '', ...rest] = splitOutsideQuotes(member, ';')
    const pairs = (name.includes('=') ? [name, ...rest] : rest).flatMap((parameter): [string, number][] => {
      const at = parameter.indexOf('=')
      const value = numberIn(parameter.slice(at + 1))
      return at < 1 || value === undefined ? [] : [[parameter.slice(0, at).trim().toLowerCase(), value]]
    })
    return { name: name.replace(/^"(.*)"$/, '$1'), parameters: new Map(pairs) }
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
