import {
  type DeliveryCreate,
  type DropoffVerification,
  type ResolvedVerification,
  type VerificationLevel,
  type VerificationMechanism,
  verificationLevels,
  verificationMechanisms,
} from '../../contract/index.js'
import { permitsCheck } from '../../trade/installation-policy.js'
import type { InstallationRow } from '../model.js'

type Requested = { level?: VerificationLevel | undefined; [property: string]: unknown }
type Order = Pick<DeliveryCreate, 'verification' | 'package'>

/** A check that cannot be lowered: cargo or the destination's policy requires it. */
export type Demand = {
  mechanism: VerificationMechanism
  level: VerificationLevel
  minimumAge?: number
  source: string
}

type Suppressed = { mechanism: VerificationMechanism; reason: string; substitutedBy?: VerificationMechanism }

const alcoholAge = 21

/** The `type` of the proof that a mechanism leaves behind. */
const proofName = { photo: 'photo', signature: 'signature', pinCode: 'pincode', barcode: 'barcode' }

/**
 * The verification that will be enforced at the door: the request, plus the checks that the cargo requires, with those
 * that the destination prohibits replaced or removed.
 */
export function resolveVerification(order: Order, installation: InstallationRow | undefined): ResolvedVerification {
  return settle(order, installation)
}

function settle(order: Order, installation: InstallationRow | undefined) {
  const dropoff = requestedMechanisms(order.verification?.dropoff)
  const derived: Demand[] = []
  const suppressed: Suppressed[] = []

  for (const demand of cargoDemands(order)) {
    if (raise(dropoff, demand)) derived.push(demand)
  }
  for (const mechanism of verificationMechanisms) {
    const requested = dropoff[mechanism]
    if (requested === undefined || isPermitted(mechanism, installation)) continue
    delete dropoff[mechanism]
    const substitute = substituteFor(requested, installation)
    const reason = mechanism === 'photo' ? 'photography_prohibited' : 'proof_type_not_permitted'
    suppressed.push({ mechanism, reason, ...(substitute === undefined ? {} : { substitutedBy: substitute }) })
    if (substitute === undefined) continue
    const demand: Demand = { mechanism: substitute, level: requested.level ?? 'required', source: 'destination_policy' }
    raise(dropoff, demand)
    derived.push(demand)
  }
  return { dropoff, derived, suppressed }
}

/** The checks that an update must not lower, those among them included that the request names already. */
export function demandsOf(order: Order, installation: InstallationRow | undefined): Demand[] {
  const substitutes = settle(order, installation).derived.filter(({ source }) => source === 'destination_policy')
  return [...cargoDemands(order), ...substitutes]
}

/** Required checks that the destination prohibits and nothing takes the place of: the stop cannot succeed. */
export function impossibleChecks(order: Order, installation: InstallationRow | undefined): VerificationMechanism[] {
  const requested = requestedMechanisms(order.verification?.dropoff)
  return verificationMechanisms.filter((mechanism) => {
    const check = requested[mechanism]
    if (check?.level !== 'required' || isPermitted(mechanism, installation)) return false
    return substituteFor(check, installation) === undefined
  })
}

/** The mechanisms that leave a proof, in the contract's order. */
const provingMechanisms = ['photo', 'signature', 'pinCode', 'barcode'] as const

/**
 * The types of the proofs that a delivery ends with: one for each check that is enforced, or one that the destination
 * permits if no check leaves a proof.
 */
export function proofTypesOf(order: Order, resolved: ResolvedVerification, at: InstallationRow | undefined): string[] {
  const enforced = provingMechanisms.filter((mechanism) => resolved.dropoff?.[mechanism] !== undefined)
  if (enforced.length > 0) return enforced.map((name) => proofName[name])
  const asked = order.verification?.dropoff
  const byDefault = provingMechanisms.find((name) => isPermitted(name, at) && asked?.[name]?.level !== 'none')
  return byDefault === undefined ? [] : [proofName[byDefault]]
}

/** Whether a level asks for less than another. */
export function isLower(level: VerificationLevel | null | undefined, than: VerificationLevel): boolean {
  return rank(level ?? 'none') < rank(than)
}

/** The mechanisms asked for; one that is named without a level is required, and `none` is as if it were absent. */
function requestedMechanisms(verification: DropoffVerification | undefined): Record<string, Requested> {
  const requested: Record<string, Requested> = {}
  for (const mechanism of verificationMechanisms) {
    const check: Requested | undefined = verification?.[mechanism]
    if (check === undefined || check.level === 'none') continue
    requested[mechanism] = { ...check, level: check.level ?? 'required' }
  }
  return requested
}

function cargoDemands(order: Order): Demand[] {
  if (!order.package?.contains?.includes('alcohol')) return []
  const asked = order.verification?.dropoff?.identity?.minimumAge ?? 0
  return [
    { mechanism: 'identity', level: 'required', minimumAge: Math.max(alcoholAge, asked), source: 'package.contains' },
  ]
}

/** Brings a mechanism up to a demand; says whether that changed anything. */
function raise(dropoff: Record<string, Requested>, demand: Demand): boolean {
  const present = dropoff[demand.mechanism]
  const level = isLower(present?.level, demand.level) ? demand.level : (present?.level ?? demand.level)
  const age = demand.minimumAge === undefined ? {} : { minimumAge: demand.minimumAge }
  const isEnough = present !== undefined && present.level === level && isOldEnough(present, demand)
  dropoff[demand.mechanism] = { ...present, level, ...age }
  return !isEnough
}

function isOldEnough(present: Requested, demand: Demand): boolean {
  return demand.minimumAge === undefined || Number(present.minimumAge ?? 0) >= demand.minimumAge
}

function isPermitted(mechanism: VerificationMechanism, installation: InstallationRow | undefined): boolean {
  return installation === undefined || permitsCheck(mechanism, installation)
}

function substituteFor(
  requested: Requested,
  installation: InstallationRow | undefined,
): VerificationMechanism | undefined {
  const substitute = requested.substituteWhenProhibited as VerificationMechanism | undefined
  return substitute !== undefined && isPermitted(substitute, installation) ? substitute : undefined
}

function rank(level: VerificationLevel): number {
  return verificationLevels.indexOf(level)
}
