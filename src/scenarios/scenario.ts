import { z } from 'zod'
import { UsageError } from '../contract/index.js'
import { plannableStatuses } from '../sandbox/internal.js'
import { dayMs, minuteMs, timeSpanMs } from '../shared/durations.js'
import { isRecord } from '../shared/json.js'

/** The expectations that a scenario can have of an app, each with its meaning. */
export const expectations = {
  finalState: 'for every delivery, the app has the status that the service has',
  eachEventOnce: 'the app works each event through once, however often it is sent',
  staleRefused: 'the app refuses a webhook that was signed 15 minutes ago',
  allAccepted: 'the app accepts every event before the service gives it up',
  caughtUp: 'after an outage, the app accepts what it missed within `catchUpWithin`',
} as const
export type ExpectationName = keyof typeof expectations
const expectationNames = Object.keys(expectations) as [ExpectationName, ...ExpectationName[]]

const longestMs = 366 * dayMs
const largestCount = 100_000

/** A span such as `6h`, within bounds. */
const span = (leastMs: number, description: string) =>
  z
    .string()
    .regex(/^(?:\d+(?:\.\d+)?(?:ms|[smhdw]))+$/, 'must be a duration such as 90s, 6h or 30d')
    .refine(
      (text) => {
        const spanMs = timeSpanMs(text)
        return spanMs !== undefined && spanMs >= leastMs && spanMs <= longestMs
      },
      `must be from ${leastMs === 0 ? '0s' : `${leastMs / minuteMs}m`} to 366d`,
    )
    .meta({ description, examples: ['6h'] })

const share = z.number().min(0).max(1)

const Step = z
  .strictObject({
    at: span(0, 'When it happens, counted from the start'),
    receiverOutage: span(minuteMs, 'The app cannot be reached for this time').optional(),
    rotateSecret: z
      .literal(true)
      .meta({ description: 'From now on, a new secret signs besides the old one' })
      .optional(),
    storm: z
      .strictObject({
        for: span(minuteMs, 'How long it lasts'),
        twice: share.default(0.3).meta({ description: 'Share of the events that are sent twice' }),
        late: share
          .default(0.3)
          .meta({ description: 'Share of the deliveries with an event that arrives after newer ones' }),
        stale: z.int().min(0).max(1_000).default(1).meta({ description: 'Webhooks with an old timestamp' }),
      })
      .meta({ description: 'Webhooks arrive twice, late and out of order' })
      .optional(),
    faults: z
      .array(z.record(z.string(), z.unknown()))
      .meta({ description: 'Fault rules, as for `dlv sandbox faults --file`; [] ends them' })
      .optional(),
  })
  .refine((step) => Object.keys(step).length === 2, {
    error: 'must have "at" and one of receiverOutage, rotateSecret, storm and faults',
  })

/** A scenario as its file has it. */
export const Scenario = z
  .strictObject({
    $schema: z.string().optional().meta({ description: 'The JSON Schema, for editors' }),
    name: z.string().min(1).max(100),
    description: z.string().optional(),
    seed: z.int().min(0).max(0xffff_ffff).default(1).meta({
      description: 'The same seed gives the same orders and events',
    }),
    start: z.iso
      .datetime({ offset: true })
      .default('2026-03-02T05:00:00Z')
      .meta({ description: 'The virtual time at the start' }),
    duration: span(minuteMs, 'How long orders come in'),
    orders: z.strictObject({
      count: z.int().min(1).max(largestCount).meta({ description: 'How many orders' }).optional(),
      perDay: z
        .number()
        .positive()
        .max(largestCount)
        .meta({ description: 'How many orders a day, instead of count' })
        .optional(),
      outcomes: z
        .partialRecord(z.enum(plannableStatuses), share)
        .default({})
        .meta({ description: 'The share of each outcome; the rest is delivered' }),
      pace: z.enum(['real', 'robo', 'fast']).default('real').meta({ description: 'How fast deliveries move' }),
      locations: z.boolean().default(false).meta({ description: 'Whether drivers report where they are' }),
      template: z
        .record(z.string(), z.unknown())
        .meta({ description: 'Fields that every order has, as in POST /deliveries' })
        .optional(),
    }),
    webhooks: z
      .strictObject({
        twice: share.default(0.02).meta({ description: 'Share of the events that are sent twice' }),
        late: share
          .default(0.02)
          .meta({ description: 'Share of the deliveries with an event that arrives after newer ones' }),
        stale: z.int().min(0).max(1_000).default(1).meta({ description: 'Webhooks with an old timestamp' }),
      })
      .prefault({})
      .meta({ description: 'How the service sends webhooks: at least once, in any order' }),
    steps: z.array(Step).max(1_000).default([]),
    catchUpWithin: span(minuteMs, 'How long the app may take after an outage').default('12h'),
    expect: z
      .array(z.enum(expectationNames))
      .default([...expectationNames])
      .meta({ description: 'What is expected of the app; everything by default' }),
  })
  .meta({ title: 'dlv scenario', description: 'A period of traffic for `dlv sandbox play`' })

export type Scenario = z.output<typeof Scenario>
export type ScenarioStep = Scenario['steps'][number]

/** A schema issue as a clause that names its field. */
function issueText({ path, message, code, ...rest }: z.core.$ZodIssue): string {
  const where = path.length === 0 ? '' : `${path.map(String).join('.')}: `
  if (code === 'unrecognized_keys') {
    const { keys } = rest as unknown as { keys: string[] }
    return `${[...path, keys[0]].map(String).join('.')} is not a field of a scenario`
  }
  return `${where}${message.replace(/^Invalid input: /, '')}`
}

/**
 * Reads a scenario.
 *
 * @param file how an error names it
 * @throws UsageError if a field is wrong; it is named
 */
export function scenarioOf(value: unknown, file: string): Scenario {
  const hint = 'dlv sandbox play --schema prints what a scenario can contain.'
  const refuse = (why: string) => new UsageError(`${file}: ${why}.`, { hint })
  if (!isRecord(value)) throw refuse('expected an object with name, duration and orders')
  const parsed = Scenario.safeParse(value)
  const [issue] = parsed.error?.issues ?? []
  if (issue !== undefined) throw refuse(issueText(issue))
  if (!parsed.success) throw refuse('not a scenario')
  const scenario = parsed.data
  const { count, perDay, outcomes } = scenario.orders
  if ((count === undefined) === (perDay === undefined)) throw refuse('orders needs either count or perDay')
  const total = Object.values(outcomes).reduce((sum, part) => sum + part, 0)
  if (total > 1 + 1e-9) throw refuse(`orders.outcomes adds up to ${Number(total.toFixed(3))}, more than 1`)
  const durationMs = spanMs(scenario.duration)
  for (const [index, { at }] of scenario.steps.entries())
    if (spanMs(at) > durationMs)
      throw refuse(`steps.${index}.at: ${at} is after the end of the scenario, which takes ${scenario.duration}`)
  return scenario
}

/** A span that the schema has accepted, in milliseconds. */
export function spanMs(text: string): number {
  return timeSpanMs(text) ?? 0
}

/** The number of orders. */
export function orderCount({ orders, duration }: Scenario): number {
  if (orders.count !== undefined) return orders.count
  return Math.min(largestCount, Math.max(1, Math.round(((orders.perDay ?? 1) * spanMs(duration)) / dayMs)))
}

/** The JSON Schema of scenario files, for editors. */
export function scenarioSchema(): Record<string, unknown> {
  return z.toJSONSchema(Scenario, { io: 'input' })
}
