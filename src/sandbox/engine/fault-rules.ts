import { z } from 'zod'
import { operationNames } from '../../contract/index.js'
import { splitHooks } from '../core/webhook-faults.js'
import type { Store } from '../store/store.js'
import type { Engine } from './engine.js'

/** One rule of misbehaviour: which requests or events, how often, and what happens to them. */
export const FaultRule = z.object({
  /** An operation of the contract, or `*` for all. Rules for webhooks need none. */
  operation: z.enum(['*', ...operationNames]).default('*'),
  probability: z.number().min(0).max(1).default(1),
  /** How many requests or events the rule applies to before it is spent; no limit where absent. */
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
  /** Where `hooks` apply to events of these types alone. */
  eventTypes: z.array(z.string().min(1)).max(50).optional(),
})
export type FaultRule = z.infer<typeof FaultRule>

export const FaultRules = z.object({
  /** Makes the draws of all rules repeatable. */
  seed: z.int().min(0).max(0xffff_ffff).optional(),
  rules: z.array(FaultRule).max(100),
})
export type FaultRules = z.infer<typeof FaultRules>

export function faultRulesOf(engine: Engine): FaultRules {
  return engine.store.settings.get<FaultRules>('faults') ?? { rules: [] }
}

/** What the rules do to one request. */
export interface RequestFault {
  latencyMs: number
  force: string | undefined
}

/** Draws what happens to a request for an operation. */
export function requestFault(engine: Engine, operation: string): RequestFault {
  const fault: RequestFault = { latencyMs: 0, force: undefined }
  const { rules } = faultRulesOf(engine)
  for (const [index, rule] of rules.entries()) {
    if (rule.operation !== '*' && rule.operation !== operation) continue
    if (rule.latencyMs === undefined && rule.force === undefined) continue
    if (!engine.draws.applies(index, rule)) continue
    fault.latencyMs += engine.draws.latency(rule.latencyMs)
    fault.force ??= rule.force
  }
  return fault
}

/** Draws the webhook faults of an event. */
export function hooksFor(engine: Engine, eventType: string): string[] {
  const { rules } = faultRulesOf(engine)
  return rules.flatMap((rule, index) => {
    if (rule.hooks === undefined) return []
    if (rule.eventTypes !== undefined && !rule.eventTypes.includes(eventType)) return []
    return engine.draws.applies(index, rule) ? splitHooks(rule.hooks) : []
  })
}

/** The dice of the fault rules, and how often each rule that is to be spent has applied: that is kept in the file. */
export class FaultDraws {
  constructor(
    private readonly store: Store,
    private random: () => number,
  ) {}

  /** Starts anew with other rules. */
  restart(random: () => number): void {
    this.random = random
    this.store.write(() => this.store.settings.remove(usesName))
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

/** By the place of the rule. */
type Uses = Record<number, number>
const usesName = 'faultUses'
