import { isBytes } from '../shared/byte-codes.js'
import { checkedKey, type ParsedSecret, readSecret } from './secret.js'

/** Number of sources that are remembered for a list of secrets. */
const remembered = 10_000
/** A delivery names itself at the beginning of its event. */
const searchedBytes = 2_048

/** What is remembered of a list of secrets, as long as the list itself is. */
interface Memory {
  /** The secrets that verified the last webhook of a source, by their places. */
  bySource: Map<string, readonly number[]>
  /** The places of all that have verified something, the last one first. */
  recent: number[]
  /** The secrets as they were read when the list was this one. */
  read: { of: readonly unknown[]; secrets: ReadSecrets } | undefined
}

/** A secret that can be used, and its place among all that were given. */
export interface UsableSecret {
  index: number
  secret: ParsedSecret
  /** The place among the usable ones of the first that is the same. */
  first: number
}

/** The secrets of a list. One that cannot be used is reported where it is configured, or if there is no other. */
interface ReadSecrets {
  usable: readonly UsableSecret[]
  fault: { why: string; hint: string } | undefined
}

const onlyPlace = [0]

const memories = new WeakMap<object, Memory>()

/**
 * In which order secrets are tried: of many accounts at one address, the one that verified the last event of the same
 * delivery, store or source first. Only a guess: it decides nothing but how soon the answer is known.
 */
export class TriedFirst {
  private readonly memory: Memory | undefined
  private readonly sources: readonly string[]

  constructor(list: object | undefined, body: Uint8Array, source: string | undefined) {
    this.memory = list === undefined ? undefined : memoryOf(list)
    this.sources =
      list === undefined || (Array.isArray(list) && list.length < 2)
        ? []
        : [...claimsOf(body), source].flatMap((one, at) => (one === undefined ? [] : [`${at} ${one}`]))
  }

  /** The secrets, which are decoded once for their list. */
  secrets(given: readonly (string | ParsedSecret)[]): ReadSecrets {
    const known = this.memory?.read
    if (known !== undefined && isSameList(known.of, given)) return known.secrets
    const secrets = readSecrets(given)
    if (this.memory !== undefined) this.memory.read = { of: [...given], secrets }
    return secrets
  }

  /** The places of all secrets, in the order in which they are to be tried. */
  places(count: number): Iterable<number> {
    return count === 1 ? onlyPlace : this.guessed(count)
  }

  private *guessed(count: number): Generator<number> {
    const { memory } = this
    const given = new Set<number>()
    const guesses =
      memory === undefined ? [] : [...this.sources.map((one) => memory.bySource.get(one) ?? []), memory.recent]
    for (const guess of guesses) {
      for (const place of guess) {
        if (given.has(place) || place >= count) continue
        given.add(place)
        yield place
      }
    }
    for (let place = 0; place < count; place++) if (!given.has(place)) yield place
  }

  /** Remembers which secrets have verified a webhook. */
  keep(places: readonly number[]): void {
    const { memory } = this
    if (memory === undefined || places.length === 0) return
    for (const source of this.sources) {
      const known = memory.bySource.get(source)
      if (known !== undefined && isSameList(known, places)) continue
      memory.bySource.set(source, places)
      const [oldest] = memory.bySource.keys()
      if (memory.bySource.size > remembered && oldest !== undefined) memory.bySource.delete(oldest)
    }
    if (memory.recent[0] !== places[0]) memory.recent = [...new Set([...places, ...memory.recent])]
  }
}

/** Whether two lists have the same members in the same order. */
export function isSameList(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((member, at) => member === other[at])
}

function readSecrets(given: readonly (string | ParsedSecret)[]): ReadSecrets {
  const read = given.map((secret) =>
    typeof secret === 'object' && secret !== null && isBytes(secret.key) ? checkedKey(secret) : readSecret(secret),
  )
  const usable = read.flatMap((secret, index) => ('why' in secret ? [] : [{ index, secret }]))
  return {
    usable: usable.map((one) => ({
      ...one,
      first: usable.findIndex(({ secret }) => isSameKey(secret.key, one.secret.key)),
    })),
    fault: read.find((secret) => 'why' in secret),
  }
}

function isSameKey(one: Uint8Array, other: Uint8Array): boolean {
  return one === other || (one.length === other.length && one.every((byte, at) => byte === other[at]))
}

function memoryOf(list: object): Memory {
  const known = memories.get(list)
  if (known !== undefined) return known
  const memory: Memory = { bySource: new Map(), recent: [], read: undefined }
  memories.set(list, memory)
  return memory
}

const latin1 = new TextDecoder('latin1')

/** What a body claims to be about, the closest first: a delivery and a store. Nothing has verified it yet. */
function claimsOf(body: Uint8Array): (string | undefined)[] {
  const text = latin1.decode(body.subarray(0, searchedBytes))
  return [/"deliveryId"\s*:\s*"([\w-]{1,128})"/, /"storeReference"\s*:\s*"([^"\\]{1,128})"/].map(
    (claim) => claim.exec(text)?.[1],
  )
}
