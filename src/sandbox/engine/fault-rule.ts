import { z } from 'zod'
import { operationNames } from '../../contract/index.js'
import type { FaultRule as FaultRuleShape } from '../../shared/fault-rule.js'

/** A rule as it is checked and kept: with each member of the shape, and no other. */
export const FaultRule = z.object({
  operation: z.enum(['*', ...operationNames]).default('*'),
  probability: z.number().min(0).max(1).default(1),
  times: z.int().min(1).optional(),
  latencyMs: z
    .union([
      z.int().min(0).max(600_000),
      z.object({ min: z.int().min(0).max(600_000), max: z.int().min(0).max(600_000) }),
    ])
    .optional(),
  force: z.string().min(1).max(200).optional(),
  hooks: z.string().min(1).max(500).optional(),
  eventTypes: z.array(z.string().min(1)).max(50).optional(),
} satisfies Record<keyof FaultRuleShape, z.ZodType>)
export type FaultRule = z.infer<typeof FaultRule>

export const mostFaultRules = 100

export const FaultRules = z.object({
  /** Makes the draws of all rules repeatable. */
  seed: z.int().min(0).max(0xffff_ffff).optional(),
  rules: z.array(FaultRule).max(mostFaultRules),
})
export type FaultRules = z.infer<typeof FaultRules>
