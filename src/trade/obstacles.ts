import type { Delivery, Gate, Installation } from '../contract/index.js'
import { minuteMs } from '../shared/durations.js'
import { isRecord, recordAt, textAt, timeAt } from '../shared/json.js'
import { anyOpen, type GateTimes, gateTimesOf, horizonMs, nextOpeningMs } from './gate-hours.js'
import { commercialGates, elevatedFpcon, permitsCheck, permittedProofName } from './installation-policy.js'
import { type OrderWindow, requestedWindow } from './promise.js'
import { localTimeText } from './zoned-time.js'

/** Why an order cannot get in, or not as it was meant to. */
export interface Obstacle {
  text: string
  /** It cannot be delivered as it is; otherwise it may take longer, or somebody should look. */
  blocks: boolean
}

/** A field of a request, with the value to begin with. */
export interface RemedyField {
  path: string
  value: string
  choices?: readonly string[]
}

export interface Found extends Obstacle {
  /** The fields of the policy that it comes from. */
  of: readonly string[]
  update?: readonly [label: string, ...fields: RemedyField[]]
}

/** Obstacles on the way to the dropoff. */
export function entryObstacles(installation: Installation, order: AccessOrder, nowMs: number): Found[] {
  const {
    code,
    acceptingDeliveries,
    fpconLevel = '',
    accessLevel,
    supportedDeliveryPoints,
    prohibitedCargo,
  } = installation
  const found: Found[] = []
  if (acceptingDeliveries === false)
    found.push({ of: ['acceptingDeliveries'], text: `${code} does not accept deliveries`, blocks: true })
  if (elevatedFpcon.has(fpconLevel ?? ''))
    found.push({ of: ['fpconLevel'], text: `FPCON ${fpconLevel} holds deliveries`, blocks: true })
  if (fpconLevel === 'bravo')
    found.push({ of: ['fpconLevel'], text: 'FPCON bravo: expect longer waits at the gate', blocks: false })
  if (accessLevel === 'escort_required')
    found.push({ of: ['accessLevel'], text: 'drivers need an escort', blocks: false })
  if (accessLevel === 'restricted')
    found.push({ of: ['accessLevel'], text: `drivers need a current credential for ${code}`, blocks: false })
  const { deliveryPoint, contains } = order
  if (deliveryPoint !== undefined && supportedDeliveryPoints?.some((point) => point === deliveryPoint) === false) {
    const path = 'dropoff.unit.deliveryPoint'
    const [first = '', ...others] = supportedDeliveryPoints
    found.push({
      of: ['supportedDeliveryPoints'],
      text: `${words(deliveryPoint)} is no longer a delivery point`,
      blocks: true,
      ...(first === ''
        ? {}
        : { update: ['Choose another delivery point', { path, value: first, choices: [first, ...others] }] }),
    })
  }
  for (const cargo of contains.filter((one) => prohibitedCargo?.includes(one)))
    found.push({
      of: ['prohibitedCargo'],
      text: `${words(cargo)} is prohibited`,
      blocks: true,
      update: [
        'Take out the cargo',
        { path: 'package.contains', value: contains.filter((one) => !prohibitedCargo?.includes(one)).join(', ') },
      ],
    })
  return [...found, ...gateObstacles(installation, order, nowMs)]
}

function gateObstacles(installation: Installation, order: AccessOrder, nowMs: number): Found[] {
  if (installation.gates == null) return []
  const { gate: name } = order
  const commercial = commercialGates(installation)
  const named = installation.gates.find((gate) => gate.name === name)
  const arrival = arrivalOf(order, nowMs)
  const opens = (gate: Gate) => {
    const times = gateTimesOf(gate)
    return times === undefined || arrival === undefined || anyOpen([times], arrival.fromMs, arrival.toMs).length > 0
  }
  const others = commercial.filter((gate) => gate.name !== name && opens(gate)).map((gate) => gate.name)
  const another = (text: string, used: readonly Gate[], blocks = true): Found[] => {
    const [first] = others
    const path = 'dropoff.installation.gate'
    const found: Found = { of: ['gates'], text, blocks }
    if (name !== undefined && first !== undefined)
      return [{ ...found, update: ['Choose another gate', { path, value: first, choices: others }] }]
    const moved = movedWindow(order, used, nowMs)
    return [moved === undefined ? found : { ...found, update: ['Move the window', ...moved] }]
  }
  if (commercial.length === 0) return another('no gate admits commercial vehicles', [])
  if (name !== undefined && named === undefined) return another(`gate "${name}" is no longer there`, commercial)
  if (named?.commercialVehiclesPermitted === false)
    return another(`gate "${name}" admits no commercial vehicles`, commercial)
  const used = named === undefined ? commercial : [named]
  const times = used.flatMap((gate) => gateTimesOf(gate) ?? [])
  if (times.length < used.length)
    return another(`the hours of ${gatesText(used)} cannot be read here: look at them`, [], false)
  if (arrival === undefined)
    return another('its window is not known here: compare it with the hours of the gates', [], false)
  const closed = closedText(used, times, arrival)
  return closed === undefined ? [] : another(closed.text, used, closed.blocks)
}

function gatesText(gates: readonly Gate[]): string {
  return gates.length === 1 ? `gate "${gates[0]?.name}"` : 'the gates'
}

/** The time in which an order arrives. */
interface Arrival {
  fromMs: number
  toMs: number
  what: 'window' | 'ETA' | 'now'
}

/** By its window or its ETA; one that is dispatched and has neither may arrive any time. */
function arrivalOf({ status, window, etaMs }: AccessOrder, nowMs: number): Arrival | undefined {
  if (window?.endMs !== undefined && window.endMs > nowMs)
    return { fromMs: Math.max(nowMs, window.startMs ?? nowMs), toMs: window.endMs, what: 'window' }
  if (etaMs !== undefined && etaMs > nowMs) return { fromMs: etaMs, toMs: etaMs + minuteMs, what: 'ETA' }
  if (status === 'scheduled' && window?.endMs === undefined) return undefined
  return { fromMs: nowMs, toMs: nowMs + minuteMs, what: 'now' }
}

/** How the hours of the gates miss the arrival, with times on their clocks; `undefined` if they are open throughout. */
function closedText(gates: readonly Gate[], times: readonly GateTimes[], { fromMs, toMs, what }: Arrival) {
  const at = (ms: number) => localTimeText(ms, times[0]?.timezone ?? 'UTC')
  const isOne = gates.length === 1
  const [first, ...more] = anyOpen(times, fromMs, toMs)
  if (first === undefined) {
    const when = {
      window: ` throughout its window, ${spanText(at(fromMs), at(toMs))} there`,
      ETA: ` at its ETA, ${at(fromMs)} there`,
      now: ' now',
    }
    const opensMs = nextOpeningMs(times, toMs)
    const opens = `${isOne ? 'it opens' : 'they open'} ${opensMs === undefined ? 'never again' : `${at(opensMs)} there`}`
    return { text: `${gatesText(gates)} ${isOne ? 'is' : 'are'} closed${when[what]}; ${opens}`, blocks: what !== 'now' }
  }
  if (more.length === 0 && first.fromMs <= fromMs && first.toMs >= toMs) return undefined
  const text =
    first.fromMs > fromMs
      ? `${isOne ? 'opens' : 'open'} ${at(first.fromMs)} there, after its window begins`
      : `${isOne ? 'closes' : 'close'} ${at(first.toMs)} there, before its window ends`
  return { text: `${gatesText(gates)} ${text}`, blocks: false }
}

/** `Wed 18:30 to 20:30`, with the day once where it is the same. */
function spanText(from: string, to: string): string {
  return `${from} to ${from.slice(0, 4) === to.slice(0, 4) ? to.slice(4) : to}`
}

/** The shortest window that is worth asking for. */
const shortestWindowMs = 30 * minuteMs

/** The next window, at most as long as its own, in which one of the gates is open. */
function movedWindow({ window }: AccessOrder, gates: readonly Gate[], nowMs: number): RemedyField[] | undefined {
  const { startMs, endMs } = window ?? {}
  if (startMs === undefined || endMs === undefined) return undefined
  const times = gates.flatMap((gate) => gateTimesOf(gate) ?? [])
  const fromMs = Math.max(startMs, nowMs)
  for (const open of anyOpen(times, fromMs, fromMs + horizonMs)) {
    const beginsMs = Math.max(open.fromMs, fromMs)
    const endsMs = Math.min(open.toMs, beginsMs + endMs - startMs)
    if (endsMs - beginsMs >= Math.min(shortestWindowMs, endMs - startMs))
      return [
        { path: 'timeWindows.dropoff.start', value: new Date(beginsMs).toISOString() },
        { path: 'timeWindows.dropoff.end', value: new Date(endsMs).toISOString() },
      ]
  }
  return undefined
}

export function proofObstacles(installation: Installation, { checks }: AccessOrder): Found[] {
  const permits = (mechanism: string) => permitsCheck(mechanism, installation)
  const permitted = Object.keys(permittedProofName).filter(permits)
  return checks.flatMap(({ mechanism, level, substitute }): Found[] => {
    if (level === 'none' || permits(mechanism)) return []
    const isPhotography = mechanism === 'photo' && installation.photographyPermitted === false
    const of = [isPhotography ? 'photographyPermitted' : 'permittedProofTypes']
    if (substitute !== undefined && permits(substitute))
      return [{ of, text: `${proofWord(substitute)} replaces ${proofWord(mechanism)}`, blocks: false }]
    const path = `verification.dropoff.${mechanism}`
    const [first] = permitted
    const update =
      mechanism === 'photo' && first !== undefined
        ? { path: `${path}.substituteWhenProhibited`, value: first, choices: permitted }
        : { path: `${path}.level`, value: 'preferred', choices: ['none', 'preferred'] }
    return [
      {
        of,
        text: `${proofWord(mechanism)} is ${level === 'required' ? 'required, but ' : ''}not permitted`,
        blocks: level === 'required',
        update: ['Change the proof', update],
      },
    ]
  })
}

const proofWord = (mechanism: string) => (mechanism === 'pinCode' ? 'PIN' : mechanism)
const words = (name: string) => name.replaceAll('_', ' ')

/** An order that goes to an installation, as far as it is known. Times are milliseconds since the epoch. */
export interface AccessOrder {
  deliveryId: string
  status: string
  createdMs?: number | undefined
  installation: string
  gate?: string | undefined
  deliveryPoint?: string | undefined
  contains: readonly string[]
  checks: readonly ProofCheck[]
  window?: OrderWindow | undefined
  /** The newest estimated arrival at the dropoff. */
  etaMs?: number | undefined
}

/** A check at the dropoff. */
interface ProofCheck {
  mechanism: string
  level?: string | undefined
  substitute?: string | undefined
}

/** Known facts of a delivery's order beside its snapshot. */
interface KnownOrder {
  package?: unknown
  verification?: unknown
  timeWindows?: unknown
  window?: OrderWindow | undefined
  etaMs?: number | undefined
}

/** The facts by which it is judged whether a change touches an order. */
export function accessOrderOf(delivery: Delivery, installation: string, known: KnownOrder = {}): AccessOrder {
  const { deliveryId, status, dropoff, createdAt } = delivery
  const window = requestedWindow(known.timeWindows)
  const contains = isRecord(known.package) ? known.package.contains : undefined
  return {
    deliveryId,
    status,
    createdMs: timeAt({ createdAt }, 'createdAt'),
    installation,
    gate: dropoff?.installation?.gate ?? undefined,
    deliveryPoint: dropoff?.unit?.deliveryPoint ?? undefined,
    contains: Array.isArray(contains) ? contains.filter((cargo) => typeof cargo === 'string') : [],
    checks: checksOf(delivery, known.verification),
    window: window === undefined ? known.window : { startMs: timeAt(window, 'start'), endMs: timeAt(window, 'end') },
    etaMs: known.etaMs,
  }
}

/** The checks that were asked for, or those that the service enforces and leaves out if the request is not known. */
function checksOf({ resolvedVerification: resolved }: Delivery, requested: unknown): ProofCheck[] {
  const asked = isRecord(requested) ? recordAt(requested, 'dropoff') : recordAt(resolved, 'dropoff')
  const checks = Object.entries(asked).map(([mechanism, check]) => ({
    mechanism,
    level: textAt(check, 'level'),
    substitute: textAt(check, 'substituteWhenProhibited'),
  }))
  if (isRecord(requested)) return checks
  const suppressed = (resolved?.suppressed ?? []).flatMap((entry) => {
    const mechanism = typeof entry === 'string' ? entry : textAt(entry, 'mechanism')
    return mechanism === undefined ? [] : [{ mechanism, substitute: textAt(entry, 'substitutedBy') }]
  })
  return [...checks, ...suppressed]
}
