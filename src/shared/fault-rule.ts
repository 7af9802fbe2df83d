/** One rule of misbehaviour: which requests or events, how often, and what happens to them. */
export interface FaultRule {
  /** An operation of the contract, or `*` for all. Rules for webhooks need none. */
  operation?: string
  probability?: number
  /** How many requests or events the rule applies to before it is spent; no limit if absent. */
  times?: number | undefined
  /** Real milliseconds before the answer, or a range to draw from. */
  latencyMs?: number | { min: number; max: number } | undefined
  /** What `X-Sandbox-Force` would say. */
  force?: string | undefined
  /** What `metadata.sandbox_hooks` would say, for every event. */
  hooks?: string | undefined
  /** Where `hooks` apply to events of these types only. */
  eventTypes?: string[] | undefined
}
