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
import { ControlAnswer, type ControlContext, type ControlRoutes } from './control-route.js'
import { GatesChange, gatesAfter, given } from './gates-change.js'

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
