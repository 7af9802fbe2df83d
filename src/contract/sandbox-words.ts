/**
 * Words by which an order or a request asks the sandbox for something on purpose, and which production must never see.
 * One object: what each command loads would grow by every name.
 */
export const magicWords = {
  forceHeader: 'X-Sandbox-Force',
  /** Prefixes of values that name an error, an outcome or a place of the sandbox. */
  magicBeginnings: {
    reference: 'sbx-',
    reusedKey: 'idem-reused-',
    conflictKey: 'idem-conflict-',
    delivery: 'del_err_',
    driver: 'drv_err_',
    installation: 'ERR_',
    /** Installations that exist only here, in a state that is none. */
    fixture: 'ZZ',
    phone: '+120255501',
  },
  /** Ids that nothing has. */
  missingIds: { delivery: 'del_missing', driver: 'drv_missing', installation: 'ZZMISSING' },
  /** A quote that has expired, for every account. */
  expiredQuoteId: 'qot_expired',
  stores: {
    unknown: 'STORE-UNKNOWN',
    /** Requests that name it are held before they are executed. */
    slow: 'STORE-SLOW',
    limited: 'STORE-429',
    broken: 'STORE-500',
    down: 'STORE-503',
    unsupported: 'STORE-REQ-UNSUPPORTED',
    unprovided: 'STORE-NOPROVIDER',
  },
  /** The prefix of stores without quotes. */
  unquotedStore: 'STORE-NOQUOTE-',
  /** A line that no map knows. */
  unknownLine: '1 Nowhere Sandbox Way',
  /** ZIP codes from here on lie in no state. */
  firstMagicZip: '99951',
  /** A team that no fleet has. */
  unknownTeamReference: 'team_invalid',
  /** A cargo attribute that no account has enabled. */
  unsupportedCargo: 'sandbox_unsupported',
} as const

/** A fault rule: which requests or events, how often, and what happens to them. */
export interface FaultRule {
  /** An operation of the contract, or `*` for all. Rules for webhooks need none. Default `*`. */
  operation?: string
  /** 0 to 1. Default 1. */
  probability?: number
  /** How many requests or events the rule applies to before it is spent. Default: no limit. */
  times?: number
  /** Real milliseconds before the response, or a range to draw from. */
  latencyMs?:
    | number
    | {
        /** The shortest latency in milliseconds. */
        min: number
        /** The longest. */
        max: number
      }
  /** A value of `X-Sandbox-Force`, such as `SERVICE_UNAVAILABLE`, `RESET` or `RATE_LIMIT_EXCEEDED; retry_after=2`. */
  force?: string
  /** Webhook faults, such as `duplicate` or `badsig`: what `metadata.sandbox_hooks` would say, for every event. */
  hooks?: string
  /** Limits `hooks` to events of these types. */
  eventTypes?: string[]
}
