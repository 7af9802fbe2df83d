import { z } from 'zod'
import { operationNames } from '../../contract/index.js'

/** One rule of misbehaviour: which requests or events, how often, and what happens to them. */
export const FaultRule = z.object({
  /** An operation of the contract, or `*` for all. Rules for webhooks need none. */
  operation: z.enum(['*', ...operationNames]).default('*'),
  probability: z.number().min(0).max(1).default(1),
  /** How many requests or events the rule applies to before it is spent; no limit if absent. */
  times: z.int().min(1).optional(),
  /** Real milliseconds before the answer, or a range to draw from. */
  latencyMs: z
    .union([
      z.int().min(0).max(600_000),
      z.object({ min: z.int().min(0).max(600_000), max: z.int().min(0).max(600_000) }),
    ])
    .optional(),
  /** What `X-Sandbox-Force` would say. */
  force: z.string().min(1).max(200).optional(),
  /** What `metadata.sandbox_hooks` would say, for every event. */
  hooks: z.string().min(1).max(500).optional(),
  /** Where `hooks` apply to events of these types only. */
  eventTypes: z.array(z.string().min(1)).max(50).optional(),
})
export type FaultRule = z.infer<typeof FaultRule>

export const mostFaultRules = 100

export const FaultRules = z.object({
  /** Makes the draws of all rules repeatable. */
  seed: z.int().min(0).max(0xffff_ffff).optional(),
  rules: z.array(FaultRule).max(mostFaultRules),
})
export type FaultRules = z.infer<typeof FaultRules>
