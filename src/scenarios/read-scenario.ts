import { UsageError } from '../contract/index.js'
import { isJsonNumber, JsonNumber } from '../shared/json-number.js'
import { type Scenario, scenarioOf } from './scenario.js'

/** The longest scenario, in characters: a thousand steps are shorter. */
const maxLength = 262_144

/**
 * Reads a scenario file, YAML or JSON, which is YAML too.
 *
 * @throws UsageError if it is neither, or no scenario; the field is named
 */
export async function readScenario(text: string, file: string): Promise<Scenario> {
  if (text.length > maxLength)
    throw new UsageError(`${file} is larger than ${maxLength / 1024} kB, and no scenario is.`, {
      hint: 'orders.count makes many orders; dlv sandbox play --schema prints what a scenario can contain.',
    })
  const { parseDocument, visit, isPair, isScalar, LineCounter } = await import('yaml')
  const lineCounter = new LineCounter()
  const document = parseDocument(text, { prettyErrors: true, strict: true, uniqueKeys: false, lineCounter })
  const [error] = document.errors
  if (error !== undefined)
    throw new UsageError(`${file}: ${(error.message.split('\n')[0] ?? '').replace(/[.:]$/, '')}.`)
  // The parser's own check compares each key with all others of its map.
  visit(document, {
    Map(_key, { items }) {
      const known = new Set<unknown>()
      for (const { key } of items) {
        if (!isScalar(key)) continue
        const { line, col } = lineCounter.linePos(key.range?.[0] ?? 0)
        if (known.has(key.value))
          throw new UsageError(`${file}: Map keys must be unique at line ${line}, column ${col}.`)
        known.add(key.value)
      }
    },
  })
  // Metadata goes to the service as it is written.
  visit(document, {
    Scalar(_key, node, path) {
      if (typeof node.value !== 'number' || node.source === undefined || String(node.value) === node.source) return
      const isFree = path.some((above) => isPair(above) && String(above.key) === 'metadata')
      if (isFree && isJsonNumber(node.source)) node.value = new JsonNumber(node.source)
    },
  })
  let value: unknown
  try {
    // Aliases that multiply would fill the memory.
    value = document.toJS({ maxAliasCount: 100 })
    // Throws if an alias names what it is in.
    JSON.stringify(value)
  } catch (cause) {
    const isCyclic = cause instanceof TypeError
    throw new UsageError(`${file}: ${isCyclic ? 'an alias stands inside what it names' : (cause as Error).message}.`, {
      cause,
    })
  }
  return scenarioOf(value, file)
}

/** The scenarios that come with dlv, as their files would have them. */
const scenarios = [
  {
    name: 'ordinary-day',
    description: 'A day with 100 orders, of which a few fail, return, expire or are cancelled.',
    seed: 1,
    duration: '1d',
    orders: {
      count: 100,
      outcomes: { failed: 0.04, returned: 0.02, cancelled: 0.03, expired: 0.01, reassigning: 0.04 },
    },
    expect: ['finalState', 'eachEventOnce', 'staleRefused', 'allAccepted'],
  },
  {
    name: 'rush-hour',
    description: 'Two hours at noon with 120 orders, and drivers who report where they are.',
    seed: 2,
    start: '2026-03-06T16:00:00Z',
    duration: '2h',
    orders: { count: 120, locations: true, outcomes: { failed: 0.05, reassigning: 0.1, cancelled: 0.03 } },
    expect: ['finalState', 'eachEventOnce', 'allAccepted'],
  },
  {
    name: 'receiver-outage',
    description: 'Two days with 200 orders. Your app cannot be reached for six hours of the first afternoon.',
    seed: 3,
    duration: '2d',
    orders: { count: 200, outcomes: { failed: 0.05, cancelled: 0.03 } },
    steps: [{ at: '12h', receiverOutage: '6h' }],
    expect: ['finalState', 'eachEventOnce', 'allAccepted', 'caughtUp'],
  },
  {
    name: 'rotated-secret',
    description: 'A day with 100 orders. At noon the secret is rotated, and both secrets sign.',
    seed: 4,
    duration: '1d',
    orders: { count: 100, outcomes: { failed: 0.04 } },
    steps: [{ at: '12h', rotateSecret: true }],
    expect: ['finalState', 'eachEventOnce', 'allAccepted'],
  },
  {
    name: 'storm',
    description: 'Twelve hours with 120 orders. Webhooks arrive twice, late, out of order and with an old timestamp.',
    seed: 5,
    start: '2026-03-02T13:00:00Z',
    duration: '12h',
    orders: { count: 120, outcomes: { failed: 0.08, returned: 0.04, cancelled: 0.04 } },
    webhooks: { twice: 0.2, late: 0.3, stale: 1 },
    expect: ['finalState', 'eachEventOnce', 'staleRefused'],
  },
] as const

export const scenarioNames: readonly string[] = scenarios.map(({ name }) => name)

/** A scenario that comes with dlv, as its file would have it; `undefined` for any other name. */
export function builtInScenario(name: string): unknown {
  return scenarios.find((scenario) => scenario.name === name)
}
