import {
  type parseAddress as Parse,
  parseAddress,
  postalCodeOf,
  undeliverableDestination,
} from '../../contract/index.js'
import { valueAt } from '../../render/view.js'
import { isRecord } from '../../shared/json.js'
import { type AddressedBases, basesAt, shortName } from './bases.js'
import { type ListedInstallation, listedAs } from './find-installation.js'

type GivenAddress = Parameters<typeof Parse>[0]

/** A stop that is on a base by its address, and names no installation. */
export interface UnnamedInstallation {
  /** The codes that the service lists for it; none if it lists none or is not known. */
  codes: readonly string[]
  message: string
}

/** The bases that an address is on, by its ZIP code or town. */
export function basesOfAddress(address: unknown): AddressedBases | undefined {
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
