import { parseAddress, postalCodeOf, stateCodeOf, UsageError } from '../../../contract/index.js'
import { valueAt } from '../../../render/view.js'
import { isRecord } from '../../../shared/json.js'
import { statesOfZip } from '../../../trade/zip-states.js'
import type { StopZones, ZonedStop } from '../../../trade/zip-zones.js'
import { momentsOf } from '../../../trade/zoned-time.js'
import { zipRefusal } from '../../bulk/preflight.js'
import { clockChangeError, shortIso, type WallTime } from '../../input/wall-time.js'

/** The clocks that times without a zone are read by: those of one zone, or of the store of each order. */
export class StoreClocks {
  readonly #counts = new Map<string, number>()

  /**
   * @param zone a zone, or `store`
   * @param named zones of ZIP codes that the user has given
   * @param zonesOf the zones of a stop; needed for `store`
   */
  constructor(
    private readonly zone: string,
    private readonly named: Readonly<Record<string, string>> = {},
    private readonly zonesOf?: (stop: ZonedStop) => StopZones,
  ) {}

  /** Begins a new reading of the rows. */
  begin(): void {
    this.#counts.clear()
  }

  /** `18 times read in America/Chicago, 3 in America/New_York`; empty without times. */
  get text(): string {
    const [first, ...others] = [...this.#counts].sort(([, one], [, other]) => other - one)
    if (first === undefined) return ''
    const [zone, count] = first
    const times = count === 1 ? '1 time' : `${count.toLocaleString('en-US')} times`
    return [`${times} read in ${zone}`, ...others.map(([other, n]) => `${n.toLocaleString('en-US')} in ${other}`)].join(
      ', ',
    )
  }

  /**
   * The moment of a time of an order.
   *
   * @throws UsageError if clocks skip it or show it twice, or if its zone is not known and makes a difference
   */
  momentOf(time: WallTime, order: unknown, path: string): string {
    const place = this.zone === 'store' ? this.#placeOf(order, path) : { zones: [this.zone], sure: 'yes' as const }
    const readings = place.zones.map((zone) => ({ zone, moments: momentsOf(time.wallMs, zone) }))
    const [reading] = readings
    const all = new Set(readings.flatMap(({ moments }) => moments))
    const [moment] = all
    if (
      reading === undefined ||
      moment === undefined ||
      all.size > 1 ||
      readings.some((one) => one.moments.length !== 1)
    )
      throw refusalOf(time, place, readings, path)
    this.#counts.set(reading.zone, (this.#counts.get(reading.zone) ?? 0) + 1)
    return new Date(moment).toISOString()
  }

  #placeOf(order: unknown, path: string): Place {
    const address = valueAt(order, 'dropoff.address') as Parameters<typeof postalCodeOf>[0] | undefined
    if (typeof address !== 'string' && !isRecord(address))
      throw new UsageError(
        `${path}: the zone of the store is not known without an address; name it, such as --us-times America/New_York`,
      )
    const [short] = zipRefusal(address)
    if (short !== undefined) throw new UsageError(`${short.field}: ${short.message}`)
    const zip = postalCodeOf(address)?.trim()
    const state = stateOf(address)
    const own = this.named[zip?.slice(0, 5) ?? '']
    if (own !== undefined) return { zip, zones: [own], sure: 'yes' }
    const states = zip === undefined ? [] : statesOfZip(zip)
    if (zip !== undefined && state !== undefined && states.length > 0 && !states.includes(state))
      throw new UsageError(`dropoff.address: the ZIP code ${zip} is in ${states.join(' or ')}, not in ${state}`)
    return { zip, state, ...(this.zonesOf?.({ postalCode: zip, state }) ?? { zones: [], sure: 'unknown' }) }
  }
}

type Place = StopZones & { zip?: string | undefined; state?: string | undefined }

interface Reading {
  zone: string
  moments: readonly number[]
}

/** Two letters in capitals; `undefined` for what names no state. */
function stateOf(address: Parameters<typeof postalCodeOf>[0]): string | undefined {
  const state =
    typeof address !== 'string'
      ? address.state
      : (parseAddress(address)?.state ?? /\b([A-Za-z]{2})[\s,]+\d{5}(?:-?\d{4})?\s*$/.exec(address)?.[1])
  if (typeof state !== 'string') return undefined
  return stateCodeOf(state) ?? (/^\s*[A-Za-z]{2}\s*$/.test(state) ? state.trim().toUpperCase() : undefined)
}

function refusalOf(time: WallTime, place: Place, readings: readonly Reading[], path: string): UsageError {
  const quoted = `"${time.text.trim()}"`
  const [first] = readings
  if (first !== undefined && readings.length === 1) return clockChangeError(time, first.zone, path)
  const zip = place.zip?.slice(0, 5)
  const example = first?.zone ?? 'America/New_York'
  const inMapFile = zip === undefined ? '' : `, or "zones": {"${zip}": "${example}"} in the map file`
  const remedy = `say which: --us-times ${example}${inMapFile}`
  if (first === undefined)
    return new UsageError(`${path}: the zone of ${zip ?? 'the store'} is not known from the address; ${remedy}`)
  const each = readings.map(({ zone, moments }) => {
    return `${moments.length === 0 ? 'no time' : moments.map(shortIso).join(' or ')} (${zone})`
  })
  const why =
    place.sure === 'two'
      ? `${zip} lies in two zones`
      : zip === undefined
        ? `the address has no ZIP code, and ${place.state} has several zones`
        : `the zone of ${zip} is not known, and ZIP codes beside it have several`
  return new UsageError(`${path}: ${why}: ${quoted} is ${each.join(' or ')}; ${remedy}`)
}
