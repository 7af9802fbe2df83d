import { type Delivery, type FieldError, parseAddress } from '../../contract/index.js'
import { orderWindowText } from '../../render/sent-order.js'
import { valueAt } from '../../render/view.js'
import type { shownZoneOf } from '../../trade/zip-zones.js'
import type { RowWarning } from '../bulk/row-warnings.js'
import { wallMsOf } from '../input/wall-time.js'
import { addressOf, type InstallationNames } from '../installations/order-names.js'
import type { Session } from '../session/session.js'
import { warningsOf } from './judge-order.js'

/** The flags of windows, and how times without a zone are read. */
interface WindowFlags {
  window?: string | undefined
  'pickup-window'?: string | undefined
  'us-times'?: string | undefined
}

const stops = [
  ['window', 'dropoff'],
  ['pickup-window', 'pickup'],
] as const

/** The windows of an order, or of a change, that the clock of its store shows at another time. */
type ClockWarning = (order: unknown, address?: unknown) => FieldError[]

/**
 * Compares windows of flags without a zone, which are by the clock of this machine, with the store's clock.
 *
 * @param remedy how the same is read by the store's clock, if not by the name of its zone
 */
export async function windowClocks(flags: WindowFlags, remedy?: string): Promise<ClockWarning> {
  const given = stops.filter(([flag]) => isWall(flags[flag]))
  if (given.length === 0 || flags['us-times'] !== undefined) return () => []
  const { shownZoneOf } = await import('../../trade/zip-zones.js')
  return (order, address = valueAt(order, 'dropoff.address')) => {
    const place = placeOf(address, shownZoneOf)
    if (place === undefined) return []
    return given.flatMap(([flag, stop]): FieldError[] => {
      const field = `timeWindows.${stop}`
      const window = valueAt(order, field)
      const [here, there] = [clockTexts(window, undefined), clockTexts(window, place.zone)]
      if (there === undefined || here === undefined || there.clock === here.clock) return []
      if (!isOf(flags[flag], window)) return []
      const message = `--${flag} was read by the clock of this machine, ${here.zoned}: that is ${there.clock} in ${place.name}; ${remedy ?? `--us-times ${place.zone}`} reads it by the store's clock`
      return [{ field, code: 'DOUBTFUL', message }]
    })
  }
}

/** What looks wrong in the orders of a file, with the windows that flags give them. */
export async function warningOfOrders(names: InstallationNames, flags: WindowFlags): Promise<RowWarning> {
  const clocks = await windowClocks(flags, '--us-times store')
  return (order) => [...warningsOf(order, names, 'order'), ...clocks(order)]
}

/** Whether a window has a time without a zone. */
function isWall(window: string | undefined): boolean {
  return window?.split('/').some((time) => wallMsOf(time) !== undefined) ?? false
}

/** Whether a window begins as the flag says: a row may keep its own. */
function isOf(flag: string | undefined, window: unknown): boolean {
  const [start = ''] = flag?.split('/') ?? []
  const wall = wallMsOf(start)
  return (
    wall === undefined || Date.parse(start.trim().replace(' ', 'T')) === Date.parse(String(valueAt(window, 'start')))
  )
}

interface Place {
  name: string
  zone: string
}

/** The town and the zone of an address, as far as both are sure. */
function placeOf(address: unknown, zoneOf: typeof shownZoneOf): Place | undefined {
  const given = addressOf(address)
  const { city, state, postalCode } = (given === undefined ? undefined : parseAddress(given)) ?? {}
  if (postalCode === undefined && state === undefined) return undefined
  const { zone, isSure } = zoneOf({ postalCode, state })
  return zone === undefined || !isSure ? undefined : { name: city ?? zone, zone }
}

/** A window as the clocks of a zone show it, or those of this machine. */
function clockTexts(window: unknown, timeZone: string | undefined): { clock: string; zoned: string } | undefined {
  const times = ['start', 'end'].map((end) => Date.parse(String(valueAt(window, end))))
  const [start = Number.NaN, end = Number.NaN] = times
  if (Number.isNaN(start) || Number.isNaN(end)) return undefined
  const day = new Intl.DateTimeFormat('en-US', { weekday: 'short', month: 'short', day: 'numeric', timeZone })
  const hour = new Intl.DateTimeFormat('en-US', { hour: 'numeric', minute: '2-digit', timeZone })
  const zone = new Intl.DateTimeFormat('en-US', { hour: 'numeric', timeZoneName: 'short', timeZone })
  const [from, until] = [start, end].map((ms) => hour.format(ms).replace(/\s/g, ' '))
  const name = zone.formatToParts(start).find(({ type }) => type === 'timeZoneName')?.value ?? ''
  const clock = `${from} – ${until} on ${day.format(start)}`
  return { clock, zoned: `${clock} ${name}`.trim() }
}

/** Says the new windows of a delivery, which its answer does not show, with their zone and by the store's clock. */
export async function sayWindows(session: Session, patch: unknown, delivery: Delivery): Promise<void> {
  const windows = valueAt(patch, 'timeWindows')
  if (valueAt(windows, 'dropoff') == null && valueAt(windows, 'pickup') == null) return
  const here = orderWindowText(windows, session.output.style)
  const { shownZoneOf } = await import('../../trade/zip-zones.js')
  const place = placeOf(valueAt(patch, 'dropoff.address') ?? delivery.dropoff?.address, shownZoneOf)
  const there = place === undefined ? here : orderWindowText(windows, { timeZone: place.zone })
  if (here !== '') session.notices.notice(`Window: ${here}${there === here ? '' : `, in ${place?.name}: ${there}`}.`)
}
