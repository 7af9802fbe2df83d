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
