import { z } from 'zod'
import { operation } from './operation.js'
import { openEnum, openObject, Timestamp } from './primitives.js'
import type * as wire from './types.generated.js'

/** The last known location of a driver. */
export const DriverLocation = openObject({
  latitude: z.number(),
  longitude: z.number(),
  updatedAt: Timestamp.nullish(),
})

/** The driver of a delivery. */
export const Driver = openObject({
  id: z.string().nullish(),
  name: z.string().nullish(),
  phoneNumber: z.string().nullish(),
  vehicleDescription: z.string().nullish(),
  location: DriverLocation.nullish(),
})
export type Driver = wire.Driver

/** The statuses of a driver's profile. */
export const driverStatuses = ['active', 'inactive'] as const

/** A driver of the fleet. Marketplace accounts may see only drivers on active deliveries. */
export const DriverProfile = openObject({
  id: z.string(),
  name: z.string().nullish(),
  phoneNumber: z.string().nullish(),
  onDuty: z.boolean().nullish(),
  status: openEnum(driverStatuses).nullish(),
  teams: z.array(z.string()).nullish(),
  vehicleDescription: z.string().nullish(),
})
export type DriverProfile = wire.DriverProfile

/** A dispatch team of an owned fleet. */
export const Team = openObject({
  id: z.string(),
  name: z.string().nullish(),
  workerCount: z.number().int().nullish(),
  hubDestinationId: z.string().nullish(),
})
export type Team = wire.Team

/** The operations on drivers and teams. */
export const fleetOperations = {
  listDrivers: operation({
    method: 'GET',
    path: '/drivers',
    summary: 'List drivers',
    description:
      'Returns a plain array of drivers, not a page. Marketplace accounts may see only drivers on active deliveries.',
    tag: 'Fleet',
    query: z.object({ teamId: z.string().min(1).optional(), onDuty: z.boolean().optional() }),
    responses: { 200: z.array(DriverProfile) },
    errors: ['VALIDATION_ERROR'],
  }),
  getDriver: operation({
    method: 'GET',
    path: '/drivers/{driverId}',
    summary: 'Get a driver',
    description: 'Returns a driver. Only for owned-fleet accounts; other accounts get `DRIVER_NOT_FOUND`.',
    tag: 'Fleet',
    responses: { 200: DriverProfile },
    errors: ['DRIVER_NOT_FOUND'],
  }),
  listTeams: operation({
    method: 'GET',
    path: '/teams',
    summary: 'List dispatch teams',
    description: 'Returns a plain array of teams, empty for an account without `ownedFleetDispatch`.',
    tag: 'Fleet',
    responses: { 200: z.array(Team) },
    errors: [],
  }),
}
