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
