import { operationNames } from '../../../contract/index.js'
import type { FaultRule } from '../../../shared/fault-rule.js'
import { isRecord } from '../../../shared/json.js'
import type { Done } from '../../wire/deliveries.js'
import type { MagicValueState, SnapshotState, SwitchState, TimeAndFaults } from '../../wire/time.js'
import type { Control } from '../backend.js'
import { clockOf } from '../clock.js'
import { parameter, Refused, type Route, type RouteCall, textOf } from '../route.js'

const shownDue = 20

export const timeRoutes: readonly Route[] = [
  { method: 'GET', path: '/time', handle: state },
  { method: 'POST', path: '/time/clock', handle: moveClock },
  { method: 'POST', path: '/time/outage', handle: setOutage },
  { method: 'POST', path: '/time/capacity', handle: setCapacity },
  { method: 'POST', path: '/time/faults', handle: addFault },
  { method: 'POST', path: '/time/faults/clear', handle: clearFaults },
  { method: 'POST', path: '/time/switches', handle: setSwitch },
  { method: 'POST', path: '/time/snapshots/:name', handle: saveSnapshot },
  { method: 'POST', path: '/time/snapshots/:name/restore', handle: restoreSnapshot },
]

function controlOf({ backend }: RouteCall): Control {
  if (backend.control !== undefined) return backend.control
  throw new Refused(409, 'NO_SANDBOX', 'Time and faults belong to a sandbox on this machine.')
}

async function state(call: RouteCall): Promise<TimeAndFaults> {
  const control = controlOf(call)
  const [clock, schedule, outage, capacity, faults, switches, snapshots, magic] = await Promise.all([
    clockOf(call.backend),
    control('GET', `/schedule?limit=${shownDue}`),
    control('GET', '/outage'),
    control('GET', '/capacity'),
    control('GET', '/faults'),
    control('GET', '/switches'),
    control('GET', '/snapshots'),
    control('GET', '/magic'),
  ])
  const { deliveries, webhooks } = schedule as Pick<TimeAndFaults, 'deliveries' | 'webhooks'>
  return {
    clock,
    deliveries,
    webhooks,
    outage: (outage as { on: boolean }).on,
    capacity: (capacity as { available: number | null }).available,
    faults: faults as TimeAndFaults['faults'],
    switches: switchStates(switches as Switches),
    snapshots: (snapshots as { snapshots: SnapshotState[] }).snapshots,
    magic: (magic as MagicValueState[]).filter(({ channel }) => channel !== 'api key'),
    operations: [...operationNames],
  }
}

interface Switches {
  switches: Record<string, string | number>
  defaults: Record<string, string | number>
  choices: Record<string, readonly string[]>
  summaries: Record<string, string>
}

function switchStates({ switches, defaults, choices, summaries }: Switches): SwitchState[] {
  return Object.entries(switches).map(([name, value]) => ({
    name,
    value,
    defaultValue: defaults[name] ?? '',
    choices: choices[name] ?? [],
    summary: summaries[name] ?? '',
  }))
}

async function moveClock(call: RouteCall): Promise<Done> {
  const { advance, set, scale } = call.body
  const change = {
    ...(typeof advance === 'string' ? { advance } : {}),
    ...(typeof set === 'string' ? { set } : {}),
    ...(typeof scale === 'number' ? { scale } : {}),
  }
  const clock = (await controlOf(call)('POST', '/clock', change)) as { now: string; scale: number }
  const speed = clock.scale === 1 ? '' : `, at ${clock.scale} seconds a second`
  return { message: `The clock is at ${clock.now}${speed}.` }
}

async function setOutage(call: RouteCall): Promise<Done> {
  const { on } = call.body
  if (typeof on !== 'boolean') throw new Refused(400, 'VALIDATION_ERROR', 'on must be true or false.')
  await controlOf(call)('POST', '/outage', { on })
  return { message: on ? 'Outage: every request is answered 503.' : 'The outage is over.' }
}

async function setCapacity(call: RouteCall): Promise<Done> {
  const { available } = call.body
  await controlOf(call)('POST', '/capacity', { available })
  if (available === null) return { message: 'As many drivers as it takes.' }
  return { message: `${available} more ${available === 1 ? 'driver' : 'drivers'} can be assigned.` }
}

async function addFault(call: RouteCall): Promise<Done> {
  const { rule } = call.body
  if (!isRecord(rule)) throw new Refused(400, 'VALIDATION_ERROR', 'rule must be an object.')
  const control = controlOf(call)
  const present = (await control('GET', '/faults')) as { seed?: number; rules: FaultRule[] }
  await control('POST', '/faults', { ...present, rules: [...present.rules, rule] })
  return { message: `Added a fault; ${present.rules.length + 1} in all.` }
}

async function clearFaults(call: RouteCall): Promise<Done> {
  await controlOf(call)('POST', '/faults', { rules: [] })
  return { message: 'Removed all faults.' }
}

async function setSwitch(call: RouteCall): Promise<Done> {
  const name = textOf(call, 'name')
  const { value } = call.body
  await controlOf(call)('POST', '/switches', { [name]: value })
  return { message: `${name} is ${String(value)}.` }
}

async function saveSnapshot(call: RouteCall): Promise<Done> {
  const name = parameter(call, 'name')
  await controlOf(call)('POST', `/snapshots/${encodeURIComponent(name)}`, { force: call.body.force === true })
  return { message: `Saved the state as ${name}.` }
}

async function restoreSnapshot(call: RouteCall): Promise<Done> {
  const name = parameter(call, 'name')
  await controlOf(call)('POST', `/snapshots/${encodeURIComponent(name)}/restore`)
  return { message: `Restored ${name}.` }
}
