import type { Client, RawReply, RawRequest } from '../../client/index.js'
import { ConnectionError, ErrorBody, operationRows, UsageError } from '../../contract/index.js'
import { plainLines } from '../../render/plain-text.js'
import { idOf } from '../../render/view.js'
import { readJsonText, tryParseJson } from '../../shared/json.js'
import { suggestions } from '../../shared/word-match.js'
import type { Output } from '../output/output.js'
import { type ExitCode, exitCodeOfRefusal, exitCodeOfStatus, exitCodes } from '../process/exit-codes.js'

/** A request of `dlv api`, with what the production guard has to know about it. */
interface ApiRequest extends RawRequest {
  isWrite: boolean
  isSimulation: boolean
  /** The body as JSON, if it is JSON. */
  bodyValue: unknown
}

/** Parses the arguments of `dlv api`. Throws `UsageError` for an invalid method or header. */
export function apiRequest(
  method: string,
  path: string,
  headerLines: readonly string[],
  body: Uint8Array | undefined,
): ApiRequest {
  const verb = method.toUpperCase()
  if (!/^[A-Z]{3,10}$/.test(verb))
    throw new UsageError(`"${method.slice(0, 40)}" is not an HTTP method such as GET or POST.`)
  if (verb === 'GET' && body !== undefined) throw new UsageError('GET cannot have a body; omit --input.')
  const headers = Object.fromEntries(
    headerLines.map((line) => {
      const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+)\s*:\s*(.*)$/.exec(line) ?? []
      if (name === undefined || value === undefined) throw new UsageError("-H expects 'name: value'.")
      if (name.toLowerCase() === 'authorization')
        throw new UsageError('-H cannot set Authorization, because every user can see a key in an argument.', {
          hint: 'Use a profile or DLV_API_KEY.',
        })
      return [name, value]
    }),
  )
  return {
    method: verb,
    path: path.startsWith('/') ? path : `/${path}`,
    headers,
    body,
    isWrite: verb !== 'GET' && verb !== 'HEAD',
    isSimulation: /\/simulate\/?(?:\?|$)/i.test(path),
    bodyValue: body === undefined ? undefined : bodyValue(body),
  }
}

/** A path with the collections of the contract whose names are similar to its own, which is not one of them. */
export function similarPaths(path: string): string[] {
  const [, typed = '', rest = ''] = /^\/([^/?]*)(.*)/s.exec(path) ?? []
  const names = [...new Set(Object.values(operationRows).map((row) => row.path.split('/')[1] ?? ''))]
  return names.includes(typed) ? [] : suggestions(typed, names).map((name) => `/${name}${rest}`)
}

/** The body as JSON, if it is JSON. Throws `UsageError` if it is nested too deep to be checked before it is sent. */
function bodyValue(body: Uint8Array): unknown {
  const reading = readJsonText(body)
  if ('value' in reading) return reading.value
  if (reading.fault === 'depth') throw new UsageError(`--input ${reading.message}.`)
  return undefined
}

/** Every page of a list, as long as the responses have a `nextCursor`. */
export async function* paginated(client: Client, request: ApiRequest): AsyncGenerator<RawReply> {
  let path = request.path
  const seen = new Set<string>()
  for (;;) {
    const answer = await client.raw({ ...request, path })
    yield answer
    const next = (tryParseJson(answer.body)?.value as { nextCursor?: unknown } | undefined)?.nextCursor
    if (answer.status >= 400 || typeof next !== 'string' || seen.has(next)) return
    seen.add(next)
    const [route = '', query = ''] = request.path.split('?')
    const parameters = new URLSearchParams(query)
    parameters.set('cursor', next)
    path = `${route}?${parameters}`
  }
}

/** Prints a response unchanged and returns the exit code of its status. */
export async function apiAnswer(answer: RawReply, output: Output, include: boolean): Promise<ExitCode> {
  if (include) {
    const headers = [...answer.headers].map(([name, value]) => `${name}: ${value}`)
    await output.text(plainLines([`HTTP ${answer.status}`, ...headers, ''].join('\n')))
  }
  const reading = readJsonText(answer.body, 'answer')
  const value = 'value' in reading ? reading.value : undefined
  const text = new TextDecoder().decode(answer.body)
  const { format, jq } = output.choices
  const isJsonWanted = jq !== undefined || format !== 'table'
  if (isJsonWanted && 'fault' in reading && reading.fault === 'depth')
    throw new ConnectionError(`The answer ${reading.message}.`, { reason: 'not-the-service', status: answer.status })
  // jq is given the text: it keeps the order of properties, and numbers beyond 2^53.
  if (value !== undefined && jq !== undefined && format !== 'ndjson') await jq.select(text)
  else if (value !== undefined && isJsonWanted)
    await output.show({ id: idOf('deliveryId'), columns: [{ name: 'deliveryId' }] }, value)
  else {
    if (text !== '')
      await output.text(output.style.terminal ? plainLines(text.replaceAll('\r\n', '\n')) : text.replace(/\n$/, ''))
  }
  if (answer.status < 400) return exitCodes.done
  const refusal = ErrorBody.safeParse(value)
  return refusal.success ? exitCodeOfRefusal(refusal.data.error.code, answer.status) : exitCodeOfStatus(answer.status)
}
