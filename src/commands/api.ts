import { Args, Flags } from '@oclif/core'
import { BaseCommand } from '../cli/command/base-command.js'
import {
  refuseForceHeaderOnProduction,
  refuseOnProduction,
  refuseTestValuesOnProduction,
} from '../cli/command/production-guard.js'
import { repeatable, yesFlag } from '../cli/command/write-flags.js'
import { readInputBytes } from '../cli/input/read.js'
import type { Output } from '../cli/output/output.js'
import { type ExitCode, exitCodeOfRefusal, exitCodeOfStatus, exitCodes } from '../cli/process/exit-codes.js'
import type { Client, RawReply, RawRequest } from '../client/index.js'
import { ConnectionError, ErrorBody, operationRows, UsageError } from '../contract/index.js'
import { plainLines } from '../render/plain-text.js'
import { idOf } from '../render/view.js'
import { readJsonText, tryParseJson } from '../shared/json.js'
import { didYouMean, suggestions } from '../shared/word-match.js'

export default class Api extends BaseCommand {
  static override summary = 'Send any request to the service.'
  static override description =
    'Uses the key, retries and rate limit of the profile. Prints the response body unchanged. An error response is printed too and sets the exit code.'
  static override examples = [
    '<%= config.bin %> api GET /capabilities',
    '<%= config.bin %> api GET "/events?since=2026-03-02T00:00:00Z" --paginate',
    '<%= config.bin %> api POST /deliveries --input order.json -H "Idempotency-Key: order-1001"',
  ]
  static override args = {
    method: Args.string({ description: 'GET, POST or PATCH', required: true, ignoreStdin: true }),
    path: Args.string({
      description: 'Path below the base URL, such as /deliveries',
      required: true,
      ignoreStdin: true,
    }),
  }
  static override flags = {
    input: Flags.string({ summary: 'Body: a file, or - for standard input', helpValue: 'FILE' }),
    header: Flags.string({
      char: 'H',
      summary: "'name: value'; repeatable",
      helpValue: 'HEADER',
      ...repeatable,
    }),
    paginate: Flags.boolean({ summary: 'Follow nextCursor and print every page' }),
    include: Flags.boolean({ char: 'i', summary: 'Print the response status and headers first' }),
    ...yesFlag,
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Api)
    const body =
      flags.input === undefined ? undefined : await readInputBytes(this.session.context, flags.input, '--input')
    const request = apiRequest(args.method, args.path, flags.header ?? [], body)
    const settings = await this.session.account.settings()
    if (request.isSimulation) refuseOnProduction(settings, 'simulate')
    refuseTestValuesOnProduction(settings, request.bodyValue, request.path)
    refuseForceHeaderOnProduction(settings, request.headers ?? {})
    if (
      request.isWrite &&
      !(await this.session.account.confirmOnProduction(`Send ${request.method} ${request.path}`, flags.yes))
    )
      return
    const client = await this.session.client()
    if (flags.paginate) {
      for await (const answer of paginated(client, request))
        this.session.endWith(await apiAnswer(answer, this.session.output, flags.include))
      return
    }
    const answer = await client.raw(request)
    this.session.endWith(await apiAnswer(answer, this.session.output, flags.include))
    const near = answer.status === 404 ? didYouMean(similarPaths(request.path)) : undefined
    if (near !== undefined) this.session.notices.notice(near)
  }
}

/** A request of `dlv api`, with what the production guard has to know about it. */
interface ApiRequest extends RawRequest {
  isWrite: boolean
  isSimulation: boolean
  /** The body as JSON, if it is JSON. */
  bodyValue: unknown
}

/** Parses the arguments of `dlv api`. Throws `UsageError` for an invalid method or header. */
function apiRequest(
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
function similarPaths(path: string): string[] {
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
async function* paginated(client: Client, request: ApiRequest): AsyncGenerator<RawReply> {
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
async function apiAnswer(answer: RawReply, output: Output, include: boolean): Promise<ExitCode> {
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
