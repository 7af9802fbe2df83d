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

/** The default capabilities of a marketplace account. */
export const marketplaceCapabilities: Readonly<Record<Capability, boolean>> = {
  quotes: true,
  marketplaceDispatch: true,
  ownedFleetDispatch: false,
  returns: true,
  requirementEnforcement: true,
  driverLocationStreaming: true,
  routeOptimization: false,
  itemLevelPackage: true,
  cancellationFees: true,
}
