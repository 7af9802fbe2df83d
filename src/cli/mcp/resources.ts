import { safeJson } from '../../render/plain-text.js'
import { percentDecoded } from '../../shared/byte-codes.js'
import type { InnerCommand } from './inner-run.js'
import { dataNotice, maskForAgents } from './results.js'
import type { ToolContext } from './tool.js'

const resources = [
  { uri: 'dlv://openapi', name: 'openapi', description: 'The contract as OpenAPI 3.1', mimeType: 'application/json' },
  {
    uri: 'dlv://magic',
    name: 'magic',
    description: 'Values that force an outcome in the sandbox',
    mimeType: 'application/json',
  },
]

/** The resources of an account: the magic values are those of our own sandbox. */
export function resourcesOf({ isOwnSandbox }: { isOwnSandbox: boolean }) {
  return resources.filter(({ name }) => isOwnSandbox || name !== 'magic')
}

export const resourceTemplates = [
  {
    uriTemplate: 'dlv://explain/{code}',
    name: 'explain',
    description: 'What a code means',
    mimeType: 'application/json',
  },
  { uriTemplate: 'dlv://delivery/{id}', name: 'delivery', description: 'One delivery', mimeType: 'application/json' },
]

/** The JSON text of a resource; `undefined` if there is none, and an error of the service as its JSON. */
export async function readResource(
  uri: string,
  { run }: Pick<ToolContext, 'run'>,
  unmask: boolean,
): Promise<string | undefined> {
  const shown = async (command: InnerCommand, isMarked = false) => {
    const { value, error } = await run(command)
    if (error !== undefined) return undefined
    const masked = unmask || !isMarked ? value : maskForAgents(value)
    return safeJson(isMarked ? { note: dataNotice, ...(masked as object) } : masked)
  }
  if (uri === 'dlv://openapi') {
    const { openApiDocument } = await import('../../contract/openapi/index.js')
    return safeJson(openApiDocument())
  }
  if (uri === 'dlv://magic') return shown({ words: ['sandbox', 'magic'] })
  const [, kind, encoded = ''] = /^dlv:\/\/(explain|delivery)\/([^/?#]+)$/.exec(uri) ?? []
  const name = percentDecoded(encoded)
  if (kind === undefined || name === undefined || name === '-') return undefined
  if (kind === 'explain') return shown({ words: ['explain'], args: [name] })
  return shown({ words: ['deliveries', 'get'], args: [name] }, true)
}
