import type { InputRow, Rows } from '../../bulk/index.js'
import {
  type parseAddress as Parse,
  parseAddress,
  postalCodeOf,
  UsageError,
  undeliverableDestination,
} from '../../contract/index.js'
import { valueAt } from '../../render/view.js'
import { isRecord } from '../../shared/json.js'
import { type AddressedBases, basesAt, shortName } from './bases.js'
import {
  type FoundInstallation,
  findInstallation,
  type ListedInstallation,
  listedAs,
  looksLikeCode,
  mayBeName,
  offerOf,
  placeText,
} from './find-installation.js'
import { type ListSession, ServiceList } from './service-list.js'

const field = 'dropoff.installation.code'

/** Names of installations in the flags, orders and rows of a command, looked up in the service's list. */
export class InstallationNames {
  readonly list: ServiceList

  constructor(session: ListSession) {
    this.list = new ServiceList(session)
  }

  /** What a text names; `code` for what is a code or cannot be looked up. */
  async find(text: string): Promise<FoundInstallation> {
    if (!mayBeName(text)) return { kind: 'code' }
    const listed = await this.list.load()
    if (listed === undefined) return { kind: 'code' }
    const found = findInstallation(text, listed)
    if (found.kind !== 'none' && found.kind !== 'unlisted') return found
    return findInstallation(text, (await this.list.renewed()) ?? listed)
  }

  /** What a text names that no installation has as its code; `undefined` if the service's list is not known. */
  async offered(text: string): Promise<FoundInstallation | undefined> {
    const listed = await this.list.renewed()
    return listed === undefined ? undefined : findInstallation(text, listed)
  }

  /** What may be meant by a text that no installation has as its code, in a sentence. */
  async offerFor(text: string): Promise<string | undefined> {
    const found = await this.offered(text)
    return found === undefined ? undefined : offerOf(text, found)
  }

  /**
   * The code that a filter or a question means: a name that only one installation has is its code, which is said.
   *
   * @throws UsageError for a name that several have, or that is only similar
   */
  async codeFor(text: string, flag: string, notice: (text: string) => void): Promise<string> {
    const found = await this.find(text)
    if (found.kind === 'one' && found.isSure) {
      notice(`${flag}: "${text}" is ${placeText(found.place)}.`)
      return found.place.code
    }
    if (found.kind === 'code' || found.kind === 'none') return text
    throw new UsageError(`${flag}: ${offerOf(text, found)}`, { hint: 'Give the code of the one that is meant.' })
  }

  /**
   * Looks at an order before it is sent: loads the list if there is anything to say about its installation.
   *
   * @param label the field with its flag
   * @throws UsageError for a name in place of a code, with the code; no order is sent to what was only guessed
   */
  async look(order: unknown, label: string = field): Promise<void> {
    if (unnamedBases(order) !== undefined) await this.list.load()
    const text = valueAt(order, field)
    if (typeof text !== 'string' || text === '') return
    const found = await this.find(text)
    if (found.kind === 'code') return
    if (found.kind === 'none' && (found.near.length === 0 || looksLikeCode.test(text))) return
    const offer =
      found.kind === 'none'
        ? `"${text}" is not an installation of the service. ${offerOf(text, found)}`
        : offerOf(text, found)
    const codes = codesOf(found)
    const remedy = codes.length === 0 ? '' : ` Write ${codes.join(' or ')}.`
    throw new UsageError(`${label}: ${offer}${elsewhere(order, found)}${remedy}`, {
      hint: 'Nothing was sent.',
    })
  }

  /** Rows of orders; one with a name in place of a code becomes a problem. */
  rows(rows: Rows): Rows {
    const looked = (row: InputRow) => this.#lookedAt(row)
    return {
      reading: rows.reading,
      async *[Symbol.asyncIterator](): AsyncGenerator<InputRow[]> {
        for await (const batch of rows) yield await Promise.all(batch.map(looked))
      },
    }
  }

  async #lookedAt(row: InputRow): Promise<InputRow> {
    if (!('value' in row)) return row
    try {
      await this.look(row.value)
      return row
    } catch (error) {
      if (!(error instanceof UsageError)) throw error
      const reference = row.namedBy ?? valueAt(row.value, 'clientOrderReference')
      const named = typeof reference === 'string' ? { clientOrderReference: reference } : {}
      return { row: row.row, line: row.line, problem: error.message, ...named }
    }
  }
}

function codesOf(found: FoundInstallation): string[] {
  if (found.kind === 'several') return found.places.flatMap(({ code }) => code ?? [])
  return found.kind === 'one' ? [found.place.code] : []
}

/** `Fort Lee` is in Virginia: an address in New Jersey is not on it. */
function elsewhere(order: unknown, found: FoundInstallation): string {
  const address = addressOf(valueAt(order, 'dropoff.address'))
  const state = address === undefined ? undefined : parseAddress(address)?.state
  if (found.kind !== 'one' || state === undefined || found.place.state === undefined) return ''
  return found.place.state === state ? '' : ` The address is in ${state}.`
}

type GivenAddress = Parameters<typeof Parse>[0]

/** A stop that is on a base by its address, and names no installation. */
interface UnnamedInstallation {
  /** The codes that the service lists for it; none if it lists none or is not known. */
  codes: readonly string[]
  message: string
}

/** The bases that an address is on, by its ZIP code or town. */
function basesOfAddress(address: unknown): AddressedBases | undefined {
  const given = addressOf(address)
  if (given === undefined) return undefined
  const parsed = parseAddress(given)
  const bases = basesAt({ ...parsed, postalCode: parsed?.postalCode ?? postalCodeOf(given) })
  return bases === undefined || undeliverableDestination(given) !== undefined ? undefined : bases
}

const addressParts = ['line1', 'city', 'state', 'postalCode']

/** An address that is a line, or has all its parts. */
export function addressOf(address: unknown): GivenAddress | undefined {
  if (typeof address === 'string') return address
  const isWhole = isRecord(address) && addressParts.every((part) => typeof address[part] === 'string')
  return isWhole ? (address as unknown as GivenAddress) : undefined
}

/** The bases of a stop whose order names no installation. */
export function unnamedBases(order: unknown): AddressedBases | undefined {
  if (valueAt(order, 'dropoff.installation.code') !== undefined) return undefined
  return basesOfAddress(valueAt(order, 'dropoff.address'))
}

/**
 * What to say of an order to a base that names no installation: any driver is sent, and may be turned away at the gate.
 *
 * @param listed the installations of the service, if they are known
 */
export function unnamedInstallation(
  order: unknown,
  listed: readonly ListedInstallation[] | undefined,
): UnnamedInstallation | undefined {
  const there = unnamedBases(order)
  if (there === undefined) return undefined
  const { bases, by, isShared } = there
  const codes = [...new Set(bases.flatMap((base) => listedAs(base, listed ?? []).map(({ code }) => code)))]
  if (codes.length > 0) {
    const civilians = isShared ? ', and civilian addresses' : ''
    const message = `${by} holds ${codes.join(' or ')}${civilians}: a stop on the installation needs its code, or any driver is sent`
    return { codes, message }
  }
  const states = [...new Set(bases.map(({ state }) => state))].map((state) => `--state ${state}`).join(' and ')
  const civilians = isShared ? ", and civilians'" : ''
  const owners = bases.map((base) => `${shortName(base)}'s`).join(' and ')
  const message = `${by} is ${owners}${civilians}; \`dlv installations list ${states}\` shows what the service serves, and without a code any driver is sent`
  return { codes, message }
}
