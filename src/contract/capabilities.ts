/** The boolean feature flags of an account. */
export const capabilities = [
  'quotes',
  'marketplaceDispatch',
  'ownedFleetDispatch',
  'returns',
  'requirementEnforcement',
  'driverLocationStreaming',
  'routeOptimization',
  'itemLevelPackage',
  'cancellationFees',
] as const
/** A feature flag of an account, by its name in the contract. */
export type Capability = (typeof capabilities)[number]
