import { z } from 'zod'
import { UsageError } from '../../contract/index.js'
import { tryParseJson } from '../../shared/json.js'
import { readInputBytes } from '../input/read.js'
import type { ProcessContext } from '../process/context.js'

/** Reads `--request`, or `--file` with `--header`. Throws `UsageError` if there is no request. */
export async function readCapturedRequest(
  context: ProcessContext,
  flags: {
    request?: string | undefined
    entry?: number | undefined
    file?: string | undefined
    header?: string[] | undefined
  },
): Promise<CapturedRequest> {
  const given = (flags.header ?? []).flatMap(headerOf)
  if (flags.request !== undefined) {
    const bytes = await readInputBytes(context, flags.request, '--request')
    const { headers, body } = requestOfHar(bytes, flags.entry) ?? splitRequest(bytes)
    return { headers: [...headers, ...given], body }
  }
  if (flags.file === undefined)
    throw new UsageError('Expected --file and --header, or --request with the whole request.', {
      hint: 'dlv webhooks log EVENT_ID --as http > captured.http writes such a request.',
    })
  return { headers: given, body: await readInputBytes(context, flags.file, '--file') }
}

function headerOf(line: string): [string, string] {
  const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+):[ \t]*(.*?)[ \t]*$/s.exec(line) ?? []
  if (name === undefined || value === undefined)
    throw new UsageError(`--header expects 'name: value', got "${line.slice(0, 40)}".`)
  return [name, value]
}

/** Splits a captured request at its first empty line; its first line and HTTP/2's `:method` are not headers. */
function splitRequest(bytes: Buffer): CapturedRequest {
  const crlf = bytes.indexOf('\r\n\r\n')
  const lf = bytes.indexOf('\n\n')
  const isCrlf = crlf !== -1 && (lf === -1 || crlf < lf)
  const end = isCrlf ? crlf : lf
  if (end === -1)
    throw new UsageError('--request has no empty line between its headers and its body.', {
      hint: 'It expects a raw HTTP request or a HAR file.',
    })
  const headers = bytes
    .subarray(0, end)
    .toString('latin1')
    .split(/\r?\n/)
    .filter((line) => line !== '' && !line.startsWith(':') && !/^[A-Z]+ \S+(?: HTTP\/[\d.]+)?$/.test(line))
    .map(requestHeader)
  return { headers: headers.flat(), body: framed(headers, bytes.subarray(end + (isCrlf ? 4 : 2))) }
}

function requestHeader(line: string): [string, string] {
  const at = line.indexOf(':')
  if (at < 1) throw new UsageError(`--request has an invalid header line: "${line.slice(0, 40)}".`)
  return [line.slice(0, at), line.slice(at + 1).trim()]
}

/** The body as HTTP frames it: chunks are joined, and what an editor added after `Content-Length` is dropped. */
function framed(headers: [string, string][], body: Buffer): Buffer {
  const headerValue = (name: string) => headers.find(([header]) => header.toLowerCase() === name)?.[1]
  if (headerValue('transfer-encoding')?.toLowerCase() === 'chunked') return unchunked(body) ?? body
  const bodyBytes = Number(headerValue('content-length') ?? body.length)
  if (bodyBytes > body.length)
    throw new UsageError(`--request is truncated: its body has ${body.length} of ${bodyBytes} bytes.`, {
      hint: 'A signature covers every byte: capture the request again, or correct its Content-Length.',
    })
  return body.subarray(0, bodyBytes)
}

/** The content of chunks; `undefined` if the capture has already joined them. */
function unchunked(body: Buffer): Buffer | undefined {
  const pieces: Buffer[] = []
  for (let at = 0; ; ) {
    const lineEnd = body.indexOf('\r\n', at)
    const [, digits] = /^([0-9a-f]{1,8})(?:;.*)?$/i.exec(body.toString('latin1', at, lineEnd)) ?? []
    if (lineEnd === -1 || digits === undefined) return undefined
    const size = Number.parseInt(digits, 16)
    if (size === 0) return Buffer.concat(pieces)
    pieces.push(body.subarray(lineEnd + 2, lineEnd + 2 + size))
    at = lineEnd + 2 + size + 2
    if (at > body.length) return undefined
  }
}

/** A captured request: alternating header names and values, and the exact bytes of the body. */
interface CapturedRequest {
  headers: string[]
  body: Buffer
}

const Entry = z.object({
  request: z.object({
    headers: z.array(z.object({ name: z.string(), value: z.string() })),
    postData: z.object({ text: z.string().optional(), encoding: z.string().optional() }).nullish(),
  }),
})
const Archive = z.object({ log: z.object({ entries: z.array(z.unknown()) }) })

/**
 * The webhook in a HAR file, or in one entry of it. `entry` counts from 1 among the requests with webhook headers.
 * `undefined` if the bytes are not a HAR file.
 *
 * @throws UsageError if it has no webhook, or several and no `entry` was given
 */
function requestOfHar(bytes: Buffer, entry: number | undefined): CapturedRequest | undefined {
  const document = jsonObjectOf(bytes)
  if (document === undefined) return undefined
  const archive = Archive.safeParse(document)
  const entries = (archive.success ? archive.data.log.entries : [document]).flatMap((candidate) => {
    const parsed = Entry.safeParse(candidate)
    return parsed.success ? [parsed.data.request] : []
  })
  if (entries.length === 0)
    throw new UsageError('--request is JSON, but not a HAR file with a request.', {
      hint: 'If it is the body of a webhook, use --file with a --header for each of the three headers.',
    })
  const isWebhook = ({ headers }: (typeof entries)[number]) =>
    headers.some(({ name }) => /^(?:webhook|svix)-/i.test(name))
  const webhooks = entries.length === 1 ? entries : entries.filter(isWebhook)
  const chosen = webhooks[(entry ?? 1) - 1]
  if (chosen === undefined || (webhooks.length > 1 && entry === undefined)) {
    const hint = webhooks.length > 1 ? `Choose one: --entry 1 to --entry ${webhooks.length}.` : undefined
    const found = webhooks.length === 1 ? 'one request' : `${webhooks.length} requests`
    throw new UsageError(`The HAR file has ${found} with webhook headers.`, { hint })
  }
  const { text = '', encoding } = chosen.postData ?? {}
  return {
    headers: chosen.headers.filter(({ name }) => !name.startsWith(':')).flatMap(({ name, value }) => [name, value]),
    body: Buffer.from(text, encoding === 'base64' ? 'base64' : 'utf8'),
  }
}

function jsonObjectOf(bytes: Buffer): unknown {
  const text = bytes
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .trimStart()
  if (!text.startsWith('{')) return undefined
  // What is not JSON is not a HAR file, but may be a request without its first line.
  return tryParseJson(text)?.value
}
