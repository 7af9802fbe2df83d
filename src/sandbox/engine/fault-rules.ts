import { z } from 'zod'
import { operationNames } from '../../contract/index.js'
import type { FaultRule as FaultRuleShape } from '../../contract/internal.js'
import type { Store } from '../store/store.js'

/** The random draws of the fault rules, and the number of uses of each limited rule, which is stored in the file. */
export class FaultDraws {
  constructor(
    private readonly store: Store,
    private random: () => number,
  ) {}

  /** Starts again with other rules. */
  restart(random: () => number): void {
    this.random = random
    this.forgetUses()
  }

  forgetUses(): void {
    this.store.write(() => this.store.settings.remove(usesName))
  }

  isSpent(index: number, { times }: FaultRule): boolean {
    return times !== undefined && this.usesOf(index) >= times
  }

  applies(index: number, rule: FaultRule): boolean {
    const { times } = rule
    if (times === undefined) return this.isDrawn(rule)
    if (this.usesOf(index) >= times || !this.isDrawn(rule)) return false
    return this.store.write(() => {
      const used = this.usesOf(index)
      if (used < times)
        this.store.settings.set(usesName, { ...this.store.settings.get<Uses>(usesName), [index]: used + 1 })
      return used < times
    })
  }

  latency(latencyMs: FaultRule['latencyMs']): number {
    if (latencyMs === undefined) return 0
    if (typeof latencyMs === 'number') return latencyMs
    const { min, max } = latencyMs
    return Math.round(min + this.random() * Math.max(0, max - min))
  }

  private isDrawn({ probability }: FaultRule): boolean {
    return probability === 1 || this.random() < probability
  }

  private usesOf(index: number): number {
    return this.store.settings.get<Uses>(usesName)?.[index] ?? 0
  }
}

/** By the index of the rule. */
type Uses = Record<number, number>
const usesName = 'faultUses'

/** A rule as it is checked and kept. */
export const FaultRule = z.strictObject({
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

export const FaultRules = z.strictObject({
  /** Makes the draws of all rules repeatable. */
  seed: z.int().min(0).max(0xffff_ffff).optional(),
  rules: z.array(FaultRule).max(mostFaultRules),
})
export type FaultRules = z.infer<typeof FaultRules>
