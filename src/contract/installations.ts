import { z } from 'zod'
import { operation } from './operation.js'
import { CargoAttribute } from './orders.js'
import { openEnum, openObject, Page, pageQuery, Timestamp, TimestampInput } from './primitives.js'
import { Address, deliveryPoints, InstallationStop, UnitStop } from './stops.js'
import type * as wire from './types.generated.js'

/** The armed services that an installation can belong to. */
export const branches = [
  'army',
  'navy',
  'air_force',
  'marine_corps',
  'space_force',
  'coast_guard',
  'joint',
  'dla',
] as const
/** An installation's access requirement. */
export const accessLevels = ['id_required', 'escort_required', 'restricted'] as const
/** The force protection conditions, from the lowest to the highest. */
export const fpconLevels = ['normal', 'alpha', 'bravo', 'charlie', 'delta'] as const
/** The proofs of delivery that an installation can permit. */
export const permittedProofTypes = ['photo', 'signature', 'pin_code', 'barcode'] as const

/** A gate of an installation. */
export const Gate = openObject({
  name: z.string(),
  commercialVehiclesPermitted: z.boolean().nullish(),
  hours: z.string().nullish(),
  timezone: z.string().nullish(),
})
export type Gate = wire.Gate

const listed = {
  code: z.string(),
  name: z.string().nullish(),
  branch: openEnum(branches).nullish(),
  state: z.string().nullish(),
  acceptingDeliveries: z.boolean().nullish(),
  accessLevel: openEnum(accessLevels).nullish(),
  photographyPermitted: z.boolean().nullish(),
  supportedDeliveryPoints: z.array(openEnum(deliveryPoints)).nullish(),
}

/** An installation in a list; `getInstallation` has its access policy. */
export const InstallationListItem = openObject(listed)
export type InstallationListItem = wire.InstallationListItem

export const Installation = openObject({
  ...listed,
  fpconLevel: openEnum(fpconLevels).nullish(),
  imagingRestrictions: openEnum(['no_recording_devices']).nullish(),
  permittedProofTypes: z.array(openEnum(permittedProofTypes)).nullish(),
  prohibitedCargo: z.array(z.string()).nullish(),
  gates: z.array(Gate).nullish(),
  policyUpdatedAt: Timestamp.nullish(),
})
/** A military installation with its gates and access policy. */
export type Installation = wire.Installation

/** A page of `GET /installations`. */
export const InstallationPage = Page('installations', InstallationListItem)

/** The query parameters of `GET /installations`. */
export const InstallationListQuery = z.object({
  state: z
    .string()
    .regex(/^[A-Z]{2}$/, 'must be two upper-case letters')
    .optional(),
  branch: z.enum(branches).optional(),
  acceptingDeliveries: z.boolean().optional(),
  ...pageQuery,
})

/** The stop to check. */
export const ServiceabilityRequest = z.object({
  dropoff: z.object({
    address: Address.optional(),
    installation: InstallationStop.optional(),
    unit: UnitStop.optional(),
  }),
  package: z.object({ contains: z.array(CargoAttribute).max(100).optional() }).optional(),
  deliverAt: TimestampInput.optional(),
})
export type ServiceabilityRequest = wire.ServiceabilityRequest

/** A point-in-time result. `retryAfter` is a timestamp, present if the obstacle is temporary. */
export const Serviceability = openObject({
  serviceable: z.boolean(),
  reasonCode: z.string().nullish(),
  reason: z.string().nullish(),
  installation: openObject({
    code: z.string(),
    name: z.string().nullish(),
    accessLevel: openEnum(accessLevels).nullish(),
    fpconLevel: openEnum(fpconLevels).nullish(),
  }).nullish(),
  recommendedGate: z.string().nullish(),
  credentialedDriversAvailable: z.boolean().nullish(),
  permittedProofTypes: z.array(z.string()).nullish(),
  suppressedProofTypes: z.array(z.string()).nullish(),
  supportedDeliveryPoints: z.array(z.string()).nullish(),
  retryAfter: Timestamp.nullish(),
  evaluatedAt: Timestamp.nullish(),
})
export type Serviceability = wire.Serviceability

/** The operations on installations, and whether they can be delivered to. */
export const installationOperations = {
  listInstallations: operation({
    method: 'GET',
    path: '/installations',
    summary: 'List military installations',
    description:
      'Returns the installations that are served. The list can be cached for a day; an access policy cannot.',
    tag: 'Installations',
    query: InstallationListQuery,
    responses: { 200: InstallationPage },
    errors: ['VALIDATION_ERROR'],
    pageOf: 'installations',
  }),
  getInstallation: operation({
    method: 'GET',
    path: '/installations/{installationCode}',
    summary: 'Get an installation and its access policy',
    description: 'Returns an installation with its gates, access rules, permitted proof types and prohibited cargo.',
    tag: 'Installations',
    responses: { 200: Installation },
    errors: ['INSTALLATION_NOT_FOUND'],
  }),
  checkServiceability: operation({
    method: 'POST',
    path: '/serviceability',
    repeat: 'safe',
    summary: 'Check whether a stop can be served',
    description:
      'Evaluates a dropoff without creating anything, free of charge. `serviceable: false` is a result, not an error. ' +
      'The result holds for this moment; do not cache it across a scheduled window.',
    tag: 'Installations',
    body: ServiceabilityRequest,
    responses: { 200: Serviceability },
    errors: ['VALIDATION_ERROR'],
  }),
}
