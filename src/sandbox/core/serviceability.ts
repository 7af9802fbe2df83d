import {
  type Serviceability,
  type ServiceabilityRequest,
  timeMs,
  undeliverableDestination,
} from '../../contract/index.js'
import { hourMs } from '../../shared/durations.js'
import { nextOpeningMs, opensWithin } from '../../trade/gate-hours.js'
import { commercialGates, permitsProof, permittedProofName } from '../../trade/installation-policy.js'
import { addDays, localDateOf, localTimeToMs } from '../../trade/zoned-time.js'
import type { InstallationRow, World } from '../model.js'
import { addressProblem, mismatchProblem } from './checks/address.js'
import { eligibleDrivers } from './driver-choice.js'
import { escortedInstallation } from './fixtures.js'
import { dropoffZip, locateStop, namedInstallation, roadKm } from './geo/places.js'
import { stores } from './geo/stores.js'
import { accessBlocker, cargoBlocker, gateRefusal, recommendedGate, takesDeliveryPoint } from './installations.js'
import { isMagicZip, neverServedReasons, zipNoQuoteReasons, zipRefusals } from './magic-tables.js'
import { maximumDistanceKm } from './pricing.js'
import { timestamp } from './trip-times.js'

/** Why a stop cannot be served, in code and in words, and from when on it can be if that is a matter of time. */
interface Blocker {
  reasonCode: string
  reason: string
  retryAfterMs?: number | undefined
}

const proofTypes = Object.values(permittedProofName)

/** How long an elevated posture is expected to last before it is worth asking again. */
const postureReviewMs = 6 * hourMs

const escortHours = { open: '08:00', close: '16:00' }

/** The answer for a stop at a moment; `false` is an answer, not an error. */
export function evaluateStop(world: World, request: ServiceabilityRequest): Serviceability {
  const atMs = request.deliverAt === undefined ? world.nowMs : timeMs(request.deliverAt)
  const code = request.dropoff.installation?.code
  const installation = namedInstallation(world, request.dropoff)
  const blocker =
    addressBlocker(world, request, installation) ??
    (code === undefined ? undefined : installationBlocker(world, request, code, atMs))
  const gate = installation === undefined ? undefined : recommendedGate(installation, atMs)
  const isPermitted = (type: string) => installation === undefined || permitsProof(type, installation)
  return {
    serviceable: blocker === undefined,
    ...(blocker === undefined ? {} : { reasonCode: blocker.reasonCode, reason: blocker.reason }),
    installation: installation === undefined ? null : installationSummary(installation),
    ...(gate === undefined ? {} : { recommendedGate: gate.name }),
    credentialedDriversAvailable: isDriverAvailable(world, installation, atMs),
    permittedProofTypes: proofTypes.filter(isPermitted),
    suppressedProofTypes: proofTypes.filter((type) => !isPermitted(type)),
    supportedDeliveryPoints: installation?.supportedDeliveryPoints ?? [],
    ...(blocker?.retryAfterMs === undefined ? {} : { retryAfter: timestamp(blocker.retryAfterMs) }),
    evaluatedAt: timestamp(world.nowMs),
  }
}

function addressBlocker(
  world: World,
  { dropoff }: ServiceabilityRequest,
  installation: InstallationRow | undefined,
): Blocker | undefined {
  const { address } = dropoff
  if (address === undefined) return undefined
  const zip = dropoffZip({ address })
  if (undeliverableDestination(address) !== undefined || zipRefusals[zip] === 'UNSUPPORTED_DESTINATION')
    return { reasonCode: 'unsupported_destination_type', reason: 'Destinations of this kind are not served.' }
  const problem = addressProblem(address) ?? mismatchProblem(address, installation)
  if (problem !== undefined)
    return { reasonCode: 'address_not_found', reason: `The address cannot be found: ${problem}.` }
  const magic = zipNoQuoteReasons[zip]
  const isOutside =
    (magic !== undefined && neverServedReasons.has(magic)) ||
    zipRefusals[zip] === 'NO_ELIGIBLE_PROVIDERS' ||
    (dropoff.installation?.code === undefined && isOutOfReach(world, dropoff))
  return isOutside ? outsideServiceArea('address') : undefined
}

function outsideServiceArea(what: 'address' | 'installation'): Blocker {
  return { reasonCode: 'outside_service_area', reason: `The ${what} lies outside what is served.` }
}

/** Whether no store is near enough for a stop: for its address or, without one, for its installation. */
function isOutOfReach(world: World, dropoff: ServiceabilityRequest['dropoff']): boolean {
  const { address } = dropoff
  if (address !== undefined && isMagicZip(dropoffZip({ address }))) return false
  const stop = address === undefined ? namedInstallation(world, dropoff) : locateStop(world, { ...dropoff, address })
  return stores.every((store) => roadKm(store, stop) > maximumDistanceKm)
}

const accessReasons = {
  installation_not_served: 'The installation is not served.',
  installation_not_accepting_deliveries: 'The installation takes no deliveries at present.',
  fpcon_elevated: 'Deliveries are not admitted under the current force protection condition.',
} as const

function installationBlocker(
  world: World,
  request: ServiceabilityRequest,
  code: string,
  atMs: number,
): Blocker | undefined {
  const installation = world.installation(code)
  const access = accessBlocker(code, installation)
  if (access !== undefined || installation === undefined) {
    const reasonCode = access ?? 'installation_not_served'
    const retryAfterMs = reasonCode === 'fpcon_elevated' ? atMs + postureReviewMs : undefined
    return { reasonCode, reason: accessReasons[reasonCode], retryAfterMs }
  }
  if (isOutOfReach(world, request.dropoff)) return outsideServiceArea('installation')
  const cargo = cargoBlocker(installation, request.package?.contains ?? [])
  if (cargo !== undefined)
    return { reasonCode: 'prohibited_cargo_for_destination', reason: `The installation prohibits ${cargo}.` }
  const point = request.dropoff.unit?.deliveryPoint
  if (point !== undefined && !takesDeliveryPoint(installation, point))
    return { reasonCode: 'unsupported_delivery_point', reason: `The installation does not offer ${point}.` }
  if (!isDriverAvailable(world, installation, atMs))
    return {
      reasonCode: 'no_credentialed_driver_available',
      reason: 'No driver on duty has a current credential for the installation.',
    }
  return escortBlocker(installation, atMs) ?? gateBlocker(installation, request.dropoff.installation?.gate, atMs)
}

function gateBlocker(installation: InstallationRow, name: string | undefined, atMs: number): Blocker | undefined {
  const refusal = name === undefined ? undefined : gateRefusal(installation, name, atMs)
  if (refusal !== undefined)
    return {
      reasonCode: refusal.reasonCode,
      reason: `The gate ${refusal.reason}.`,
      retryAfterMs: refusal.opensMs,
    }
  const gates = commercialGates(installation)
  if (opensWithin(gates, atMs, atMs + 1)) return undefined
  return {
    reasonCode: 'gate_closed',
    reason: 'Every gate for commercial vehicles is closed.',
    retryAfterMs: nextOpeningMs(gates, atMs),
  }
}

/** Escorts keep hours at the one installation that has them. */
function escortBlocker({ code, timezone }: InstallationRow, atMs: number): Blocker | undefined {
  if (code !== escortedInstallation) return undefined
  const today = localDateOf(atMs, timezone)
  const opensMs = localTimeToMs(today, escortHours.open, timezone)
  if (atMs >= opensMs && atMs < localTimeToMs(today, escortHours.close, timezone)) return undefined
  const retryAfterMs = atMs < opensMs ? opensMs : localTimeToMs(addDays(today, 1), escortHours.open, timezone)
  return { reasonCode: 'escort_unavailable', reason: 'No escort is on duty.', retryAfterMs }
}

function isDriverAvailable(world: World, installation: InstallationRow | undefined, atMs: number): boolean {
  return eligibleDrivers(world, { installationCode: installation?.code }, atMs).length > 0
}

function installationSummary({ code, name, accessLevel, fpconLevel }: InstallationRow) {
  return { code, name, accessLevel, fpconLevel }
}
