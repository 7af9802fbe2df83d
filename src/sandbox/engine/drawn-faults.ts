import { splitHooks } from '../core/webhook-faults.js'
import type { Engine } from './engine.js'
import type { FaultRules } from './fault-rules.js'

export function faultRulesOf(engine: Engine): FaultRules {
  return engine.store.settings.get<FaultRules>('faults') ?? { rules: [] }
}

/** The combined effect of the fault rules on one request. */
interface RequestFault {
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
    // What is forced by one rule is not used up by the next.
    if (fault.force !== undefined && rule.latencyMs === undefined) continue
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
