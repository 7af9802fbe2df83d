/** Every error code of the contract with its HTTP statuses. */
export const errorStatuses = {
  VALIDATION_ERROR: [400, 422],
  INVALID_ADDRESS: [422],
  INVALID_PHONE_NUMBER: [400],
  INVALID_TIME_CONSTRAINT: [422],
  INVALID_STORE_REFERENCE: [422],
  INVALID_TEAM_REFERENCE: [422],
  UNSUPPORTED_REQUIREMENT: [422],
  UNSUPPORTED_DESTINATION: [422],
  INSTALLATION_NOT_SERVED: [422],
  INSTALLATION_NOT_ACCEPTING_DELIVERIES: [422],
  PROHIBITED_CARGO_FOR_DESTINATION: [422],
  NO_ELIGIBLE_PROVIDERS: [422],
  NO_CREDENTIALED_DRIVER_AVAILABLE: [422],
  QUOTES_NOT_SUPPORTED: [403],
  QUOTE_EXPIRED: [409],
  DUPLICATE_ORDER: [409],
  IDEMPOTENCY_KEY_REUSED: [409],
  IDEMPOTENCY_CONFLICT: [409],
  DELIVERY_NOT_FOUND: [404],
  DRIVER_NOT_FOUND: [404],
  INSTALLATION_NOT_FOUND: [404],
  INVALID_STATE_TRANSITION: [409, 422],
  SANDBOX_ONLY: [403],
  UNAUTHORIZED: [401],
  RATE_LIMIT_EXCEEDED: [429],
  SERVICE_UNAVAILABLE: [503],
  INTERNAL_ERROR: [500],
} as const satisfies Record<string, readonly [number, ...number[]]>

/** An error code that this version knows. */
export type KnownErrorCode = keyof typeof errorStatuses
/** Every error code of the contract. */
export const errorCodes = Object.keys(errorStatuses) as [KnownErrorCode, ...KnownErrorCode[]]

/** Whether this version knows the error code. */
export function isKnownErrorCode(code: string): code is KnownErrorCode {
  return Object.hasOwn(errorStatuses, code)
}
