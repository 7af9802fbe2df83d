import { z } from 'zod'
import { seededRandom } from '../../shared/math.js'
import { parseForce } from '../core/magic.js'
import { isWebhookFault, splitHooks } from '../core/webhook-faults.js'
import { faultRulesOf } from '../engine/drawn-faults.js'
import { capacityOf, isOut, switchesOf } from '../engine/engine.js'
import { type FaultRule, FaultRules, mostFaultRules } from '../engine/fault-rules.js'
import { schemaRefusal } from '../http/json-body.js'
import { defaultSwitches, switchChoices, switchSummaries } from '../switches.js'
import type { ControlContext, ControlRoutes } from './control-route.js'

/** New rules, or more of them. */
const FaultChange = FaultRules.extend({ append: z.boolean().optional() })
const Outage = z.strictObject({ on: z.boolean() })
/** `null` for no limit. */
const Capacity = z.strictObject({ available: z.int().min(0).nullable() })

/** The conditions of the service: outage, capacity, readings of the contract, faults. */
export function conditionRoutes({ engine }: ControlContext): ControlRoutes {
  const { store } = engine
  const keep = (name: string, value: unknown) => store.write(() => store.settings.set(name, value))
  const switches = () => ({
    switches: switchesOf(store),
    defaults: defaultSwitches,
    choices: switchChoices,
    summaries: switchSummaries,
  })
  /** Keeps the rules that hold and what has been used of them. */
  const appendFaults = (added: readonly FaultRule[]): FaultRules => {
    const { rules, ...rest } = faultRulesOf(engine)
    // Uses are counted by the places of rules, which stay as long as one is left.
    const isAllSpent = rules.every((rule, index) => engine.draws.isSpent(index, rule))
    if (isAllSpent) engine.draws.forgetUses()
    const all = [...(isAllSpent ? [] : rules), ...added]
    if (all.length > mostFaultRules)
      throw schemaRefusal([{ field: 'rules', code: 'TOO_LONG', message: `there are ${mostFaultRules} rules already` }])
    const faults = { ...rest, rules: all }
    keep('faults', faults)
    return faults
  }
  return {
    'GET /outage': () => ({ on: isOut(store) }),
    async 'POST /outage'(call) {
      const { on } = await call.body(Outage)
      keep('outage', on)
      return { on }
    },
    'GET /capacity': () => ({ available: capacityOf(store) ?? null }),
    async 'POST /capacity'(call) {
      const { available } = await call.body(Capacity)
      if (available === null) store.write(() => store.settings.remove('capacity'))
      else keep('capacity', available)
      return { available }
    },
    'GET /switches': switches,
    async 'POST /switches'(call) {
      keep('switches', { ...switchesOf(store), ...(await call.body(switchChanges)) })
      return switches()
    },
    'GET /faults': () => faultRulesOf(engine),
    async 'POST /faults'(call) {
      const { append, ...given } = await call.body(FaultChange)
      for (const [index, rule] of given.rules.entries()) refuseUnknownFaults(index, rule)
      if (append) return appendFaults(given.rules)
      const faults = given
      keep('faults', faults)
      engine.draws.restart(faults.seed === undefined ? engine.random : seededRandom(faults.seed))
      return faults
    },
  }
}

const switchChanges = z.strictObject({
  ...Object.fromEntries(Object.entries(switchChoices).map(([name, choices]) => [name, z.enum(choices).optional()])),
  disableEndpointAfter: z.int().min(0).max(1_000_000).optional(),
})

/** Rejects a rule that can never have an effect. */
function refuseUnknownFaults(index: number, rule: FaultRules['rules'][number]): void {
  const refuse = (field: string, message: string) =>
    schemaRefusal([{ field: `rules[${index}].${field}`, code: 'INVALID_VALUE', message }])
  if (rule.force !== undefined) parseForce(rule.force, (message) => refuse('force', `cannot be read: ${message}`))
  const unknown = splitHooks(rule.hooks ?? '').find((hook) => !isWebhookFault(hook))
  if (unknown !== undefined) throw refuse('hooks', `"${unknown}" is not a webhook fault`)
}
