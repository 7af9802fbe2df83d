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
export type Capability = (typeof capabilities)[number]
