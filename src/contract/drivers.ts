import { z } from 'zod'
import { operation } from './operation.js'
import { openEnum, openObject, Timestamp } from './primitives.js'

export const DriverLocation = openObject({
  latitude: z.number(),
  longitude: z.number(),
  updatedAt: Timestamp.nullish(),
})

/** The driver inside a delivery. */
export const Driver = openObject({
  id: z.string().optional(),
  name: z.string().nullish(),
  phoneNumber: z.string().nullish(),
  vehicleDescription: z.string().nullish(),
  location: DriverLocation.nullish(),
})
export type Driver = z.infer<typeof Driver>

export const driverStatuses = ['active', 'inactive'] as const

/** The driver of a fleet. Marketplace accounts may see only drivers on active deliveries. */
export const DriverProfile = openObject({
  id: z.string(),
  name: z.string().nullish(),
  phoneNumber: z.string().nullish(),
  onDuty: z.boolean().nullish(),
  status: openEnum(driverStatuses).nullish(),
  teams: z.array(z.string()).nullish(),
  vehicleDescription: z.string().nullish(),
})
export type DriverProfile = z.infer<typeof DriverProfile>

export const Team = openObject({
  id: z.string(),
  name: z.string().nullish(),
  workerCount: z.number().int().nullish(),
  hubDestinationId: z.string().nullish(),
})
export type Team = z.infer<typeof Team>

export const fleetOperations = {
  /** A plain array, not paged. */
  listDrivers: operation({
    method: 'GET',
    path: '/drivers',
    summary: 'List drivers',
    tag: 'Fleet',
    query: z.object({ teamId: z.string().min(1).optional(), onDuty: z.boolean().optional() }),
    responses: { 200: z.array(DriverProfile) },
    errors: ['VALIDATION_ERROR'],
  }),
  /** Owned-fleet accounts only: any other account is told that the driver is unknown. */
  getDriver: operation({
    method: 'GET',
    path: '/drivers/{driverId}',
    summary: 'Read one driver',
    tag: 'Fleet',
    responses: { 200: DriverProfile },
    errors: ['DRIVER_NOT_FOUND'],
  }),
  /** A plain array; empty for an account without `ownedFleetDispatch`. */
  listTeams: operation({
    method: 'GET',
    path: '/teams',
    summary: 'List dispatch teams',
    tag: 'Fleet',
    responses: { 200: z.array(Team) },
    errors: [],
  }),
}
