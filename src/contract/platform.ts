import { z } from 'zod'
import { operation } from './operation.js'
import { openEnum, openObject, Timestamp } from './primitives.js'
import type * as wire from './types.generated.js'

/** The types of accounts. */
export const accountTypes = ['marketplace', 'owned_fleet'] as const

/** The capabilities of the account. */
export const Capabilities = openObject({
  accountType: openEnum(accountTypes),
  capabilities: openObject({
    quotes: z.boolean().nullish(),
    marketplaceDispatch: z.boolean().nullish(),
    ownedFleetDispatch: z.boolean().nullish(),
    returns: z.boolean().nullish(),
    requirementEnforcement: z.boolean().nullish(),
    driverLocationStreaming: z.boolean().nullish(),
    routeOptimization: z.boolean().nullish(),
    itemLevelPackage: z.boolean().nullish(),
    cancellationFees: z.boolean().nullish(),
    maxRequestsPerSecond: z.number().int().nullish(),
  }),
})
export type Capabilities = wire.Capabilities

/** The statuses that `GET /health` reports. */
export const healthStatuses = ['healthy', 'degraded'] as const
/** Whether the service works. */
export const Health = openObject({ status: openEnum(healthStatuses), checkedAt: Timestamp.nullish() })
export type Health = wire.Health

/** The operations on the account and the service. */
export const platformOperations = {
  getCapabilities: operation({
    method: 'GET',
    path: '/capabilities',
    summary: 'Get the capabilities of the account',
    description: 'Returns the type of the account, its feature flags and its allowed requests per second.',
    tag: 'Platform',
    responses: { 200: Capabilities },
    errors: [],
  }),
  getHealth: operation({
    method: 'GET',
    path: '/health',
    summary: 'Get the health of the service',
    description: 'Needs no API key and has a stricter rate limit. A degraded service returns 503 with the same body.',
    tag: 'Platform',
    authenticated: false,
    responses: { 200: Health, 503: Health },
    errors: ['RATE_LIMIT_EXCEEDED'],
  }),
}
