import { UsageError } from '../contract/index.js'
import { isJsonNumber, JsonNumber } from '../shared/json-number.js'
import { type Scenario, scenarioOf } from './scenario.js'

/**
 * Reads a scenario file, YAML or JSON, which is YAML too.
 *
 * @throws UsageError if it is neither, or no scenario; the field is named
 */
export async function readScenario(text: string, file: string): Promise<Scenario> {
  const { parseDocument, visit, isPair } = await import('yaml')
  const document = parseDocument(text, { prettyErrors: true, strict: true, uniqueKeys: true })
  const [error] = document.errors
  if (error !== undefined)
    throw new UsageError(`${file}: ${(error.message.split('\n')[0] ?? '').replace(/[.:]$/, '')}.`)
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
