import { z } from 'zod'
import { accessLevels, fpconLevels, isE164, TimestampInput } from '../../contract/index.js'
import { canonicalJson } from '../../shared/canonical-json.js'
import { hoursText, parseHoursText } from '../../trade/gate-hours.js'
import { isTimeZone } from '../../trade/zoned-time.js'
import { accounts, inNameOf } from '../core/accounts.js'
import { driverEvent } from '../core/events.js'
import { driverProfile } from '../core/fleet.js'
import { changeInstallation, type InstallationPatch } from '../core/policy-change.js'
import { Refusal } from '../core/refusal.js'
import { commitDecision } from '../engine/commit.js'
import type { Engine } from '../engine/engine.js'
import { worldOf } from '../engine/world.js'
import type { Account, Decision, DriverRow, EventDraft, GateRow, InstallationRow, World } from '../model.js'
import { ControlAnswer, type ControlContext, type ControlRoutes } from './control-route.js'

const time = z.string().regex(/^(?:[01]\d:[0-5]\d|2[0-3]:[0-5]\d|24:00)$/, 'must be a time such as 06:00')
const wholeGate = z.strictObject({
  name: z.string().min(1).max(200),
  commercialVehiclesPermitted: z.boolean(),
  hours: z.string().max(200),
  timezone: z.string().refine(isTimeZone, { error: 'must be an IANA time zone' }),
  schedule: z.array(z.strictObject({ days: z.array(z.int().min(1).max(7)).max(7), open: time, close: time })).max(20),
  closedOnFederalHolidays: z.boolean(),
})
const hours = z
  .string()
  .max(200)
  .refine((text) => parseHoursText(text) !== undefined, {
    error: 'must be hours such as "Mon-Fri 05:00-21:00; Sat 06:00-12:00; PH off", "24/7" or "closed"',
  })
const someOfGate = wholeGate
  .pick({ name: true, commercialVehiclesPermitted: true, timezone: true })
  .extend({ hours })
  .partial()
const wholeList = z.array(wholeGate).max(50)
const edits = z.record(z.string(), someOfGate)

type GatesChange = z.output<typeof wholeList> | z.output<typeof edits>

/** All gates in full, or what changes of some by their index: `{"1": {"hours": "24/7"}}`. */
const GatesChange = z.unknown().transform((value, context): GatesChange => {
  const read = Array.isArray(value) ? wholeList.safeParse(value) : edits.safeParse(value)
  if (read.success) return read.data
  context.issues.push(...(read.error.issues.map((issue) => ({ ...issue, input: value })) as z.core.$ZodRawIssue[]))
  return z.NEVER
})

/** The gates of an installation after a change. Throws the 400 for the index of no gate. */
function gatesAfter({ code, gates }: Pick<InstallationRow, 'code' | 'gates'>, change: GatesChange): GateRow[] {
  if (Array.isArray(change)) return change
  const unknown = Object.keys(change).find((index) => index === 'length' || !Object.hasOwn(gates, index))
  if (unknown !== undefined)
    throw new Refusal('VALIDATION_ERROR', `${code} has ${gates.length} gates; the first one is 0.`, {
      status: 400,
      fieldErrors: [{ field: `gates.${unknown}`, code: 'INVALID_VALUE', message: 'is not a gate of the installation' }],
    })
  return gates.map((gate, index) => {
    const { hours: text, ...rest } = change[index] ?? {}
    const edited = { ...gate, ...given(rest), ...(text === undefined ? {} : parseHoursText(text)) }
    return { ...edited, hours: hoursText(edited) }
  })
}

type Given<T> = { [Name in keyof T]?: Exclude<T[Name], undefined> }

/** The members that were given: a member left out must not overwrite. */
function given<T extends object>(change: T): Given<T> {
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined)) as Given<T>
}

const words = z.array(z.string().min(1)).max(50)

const DriverChange = z.strictObject({
  name: z.string().min(1).max(100).optional(),
  phoneNumber: z.string().refine(isE164, { error: 'must be a phone number in E.164' }).optional(),
  vehicleDescription: z.string().min(1).max(200).optional(),
  onDuty: z.boolean().optional(),
  status: z.enum(['active', 'inactive']).optional(),
  teams: words.optional(),
  credentials: z
    .array(z.strictObject({ installationCode: z.string().min(1), expiresAt: TimestampInput }))
    .max(500)
    .optional(),
})

const InstallationChange = z.strictObject({
  acceptingDeliveries: z.boolean().optional(),
  accessLevel: z.enum(accessLevels).optional(),
  fpconLevel: z.enum(fpconLevels).optional(),
  photographyPermitted: z.boolean().optional(),
  imagingRestrictions: z.string().max(100).optional(),
  supportedDeliveryPoints: words.optional(),
  permittedProofTypes: words.optional(),
  prohibitedCargo: words.optional(),
  gates: GatesChange.optional(),
})

/** Drivers come and go, and installations change their policy: each with the events of the contract. */
export function fixtureRoutes({ engine }: ControlContext): ControlRoutes {
  return {
    async 'PUT /installations/{code}'(call) {
      const code = call.parameters.code ?? ''
      const { gates, ...rest } = await call.body(InstallationChange)
      return decide(engine, (world) => {
        const before = world.installation(code)
        const changed = before === undefined || gates === undefined ? {} : { gates: gatesAfter(before, gates) }
        const patch: InstallationPatch = { ...given(rest), ...changed }
        return changeInstallation(world, code, patch)
      })
    },
    async 'PUT /drivers/{driverId}'(call) {
      const driverId = call.parameters.driverId ?? ''
      if (!/^drv_[A-Za-z0-9_-]{1,60}$/.test(driverId)) {
        const message = 'The id of a driver is drv_ and letters, digits, "_" or "-".'
        throw new Refusal('VALIDATION_ERROR', message, { status: 400 })
      }
      const { credentials, ...fields } = await call.body(DriverChange)
      const held = credentials?.map(({ installationCode, expiresAt }) => ({
        installationCode,
        expiresAtMs: Date.parse(expiresAt),
      }))
      const patch: DriverPatch = given({ ...fields, credentials: held })
      const isNew = !engine.store.fixtures.drivers().has(driverId)
      return new ControlAnswer(
        isNew ? 201 : 200,
        decide(engine, (world) => putDriver(world, driverId, patch)),
      )
    },
    'DELETE /drivers/{driverId}': (call) =>
      decide(engine, (world) => deleteDriver(world, call.parameters.driverId ?? '')),
  }
}

/** Commits what is decided in the name of the default account, and gives its answer. */
function decide(engine: Engine, decision: (world: World) => Decision): unknown {
  return engine.store.write(() => {
    const nowMs = engine.clock.nowMs()
    const decided = decision(worldOf(engine, accounts[0], nowMs))
    commitDecision(engine, decided, nowMs)
    return decided.body
  })
}

type DriverPatch = Partial<Omit<DriverRow, 'id'>>

/**
 * Creates a driver, or changes one that exists, and tells the accounts with a fleet of their own: `driver.created`;
 * `driver.duty_changed` if the duty changed; `driver.updated` if anything else did. Answers the driver.
 */
export function putDriver(world: World, driverId: string, patch: DriverPatch): Decision {
  const before = world.driver(driverId)
  const after: DriverRow = { ...(before ?? newDriver(driverId)), ...patch, id: driverId }
  const events = before === undefined ? tell(world, after, 'driver.created') : eventsOfChange(world, before, after)
  return { status: 200, body: driverProfile(world, after), drivers: [after], events }
}

/** Removes a driver and tells of it by `driver.deleted`. Throws `DRIVER_NOT_FOUND`. */
export function deleteDriver(world: World, driverId: string): Decision {
  const driver = world.driver(driverId)
  if (driver === undefined) throw new Refusal('DRIVER_NOT_FOUND', `No driver "${driverId}" exists.`)
  const events = tell(world, driver, 'driver.deleted')
  return { status: 200, body: driverProfile(world, driver), removedDriverIds: [driverId], events }
}

function eventsOfChange(world: World, before: DriverRow, after: DriverRow): EventDraft[] {
  const { onDuty: wasOnDuty, ...othersBefore } = before
  const { onDuty, ...othersAfter } = after
  const hasDutyChanged = wasOnDuty !== onDuty
  const isUpdated = canonicalJson(othersBefore) !== canonicalJson(othersAfter)
  return [
    ...(isUpdated ? tell(world, after, 'driver.updated') : []),
    ...(hasDutyChanged ? tell(world, after, 'driver.duty_changed') : []),
  ]
}

function tell(world: World, driver: DriverRow, eventType: Parameters<typeof driverEvent>[2]): EventDraft[] {
  return fleetAccounts(world).map((account) => driverEvent(inNameOf(world, account), driver, eventType))
}

/** Driver events belong to accounts with fleet management. */
function fleetAccounts(world: World): Account[] {
  return world.accounts.filter((account) => account.capabilities.ownedFleetDispatch)
}

function newDriver(id: string): DriverRow {
  return {
    id,
    name: `Driver ${id}`,
    phoneNumber: '+12025550130',
    vehicleDescription: 'White van',
    onDuty: true,
    status: 'active',
    teams: [],
    credentials: [],
  }
}
