import { z } from 'zod'
import { operation } from './operation.js'
import { openEnum, openObject, Timestamp } from './primitives.js'

export const accountTypes = ['marketplace', 'owned_fleet'] as const

export const Capabilities = openObject({
  accountType: openEnum(accountTypes),
  capabilities: openObject({
    quotes: z.boolean().optional(),
    marketplaceDispatch: z.boolean().optional(),
    ownedFleetDispatch: z.boolean().optional(),
    returns: z.boolean().optional(),
    requirementEnforcement: z.boolean().optional(),
    driverLocationStreaming: z.boolean().optional(),
    routeOptimization: z.boolean().optional(),
    itemLevelPackage: z.boolean().optional(),
    cancellationFees: z.boolean().optional(),
    maxRequestsPerSecond: z.number().int().optional(),
  }),
})
export type Capabilities = z.infer<typeof Capabilities>

export const healthStatuses = ['healthy', 'degraded'] as const
export const Health = openObject({ status: openEnum(healthStatuses), checkedAt: Timestamp.optional() })
export type Health = z.infer<typeof Health>

export const platformOperations = {
  /** The account's type and feature flags. */
  getCapabilities: operation({
    method: 'GET',
    path: '/capabilities',
    summary: 'Feature flags of the account',
    tag: 'Platform',
    responses: { 200: Capabilities },
    errors: [],
  }),
  /** Needs no key and has a stricter rate limit. A degraded service answers 503 with the same body. */
  getHealth: operation({
    method: 'GET',
    path: '/health',
    summary: 'Health of the service',
    tag: 'Platform',
    authenticated: false,
    responses: { 200: Health, 503: Health },
    errors: ['RATE_LIMIT_EXCEEDED'],
  }),
}
