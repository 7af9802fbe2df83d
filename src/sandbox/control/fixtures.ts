import { z } from 'zod'
import { accessLevels, fpconLevels, isE164, TimestampInput } from '../../contract/index.js'
import { accounts } from '../core/accounts.js'
import { type DriverPatch, deleteDriver, putDriver } from '../core/driver-change.js'
import { changeInstallation, type InstallationPatch } from '../core/policy-change.js'
import { Refusal } from '../core/refusal.js'
import { commitDecision } from '../engine/commit.js'
import type { Engine } from '../engine/engine.js'
import { worldOf } from '../engine/world.js'
import type { Decision, World } from '../model.js'
import { ControlAnswer, type ControlContext, type ControlRoute } from './control-route.js'

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

const time = z.string().regex(/^(?:[01]\d:[0-5]\d|2[0-3]:[0-5]\d|24:00)$/, 'must be a time such as 06:00')
const GateChange = z.strictObject({
  name: z.string().min(1).max(200),
  commercialVehiclesPermitted: z.boolean(),
  hours: z.string().max(200),
  timezone: z.string().refine(isTimeZone, { error: 'must be an IANA time zone' }),
  schedule: z.array(z.strictObject({ days: z.array(z.int().min(1).max(7)).max(7), open: time, close: time })).max(20),
  closedOnFederalHolidays: z.boolean(),
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
  gates: z.array(GateChange).max(50).optional(),
})

/** Drivers come and go, and installations change their policy: each with the events of the contract. */
export function fixtureRoutes({ engine }: ControlContext): ControlRoute[] {
  return [
    {
      method: 'PUT',
      path: '/installations/{code}',
      async handle(call) {
        const patch: InstallationPatch = given(await call.body(InstallationChange))
        return decide(engine, (world) => changeInstallation(world, call.parameters.code ?? '', patch))
      },
    },
    {
      method: 'PUT',
      path: '/drivers/{driverId}',
      async handle(call) {
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
    },
    {
      method: 'DELETE',
      path: '/drivers/{driverId}',
      handle: (call) => decide(engine, (world) => deleteDriver(world, call.parameters.driverId ?? '')),
    },
  ]
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

type Given<T> = { [Name in keyof T]?: Exclude<T[Name], undefined> }

/** The members that were given: a member left out must not overwrite. */
function given<T extends object>(change: T): Given<T> {
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined)) as Given<T>
}

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    // Intl has no other way to ask.
    return false
  }
}
