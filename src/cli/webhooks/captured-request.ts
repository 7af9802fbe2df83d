import { z } from 'zod'
import { UsageError } from '../../contract/index.js'
import { tryParseJson } from '../../shared/json.js'
import { fromUtf16, requestsHeldIn } from '../../webhooks/internal.js'
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
    const read = await readInputBytes(context, flags.request, '--request')
    const utf16 = fromUtf16(read)
    const bytes = utf16 === undefined ? read : Buffer.from(utf16)
    const { headers, body } = requestInJson(bytes, flags.entry) ?? splitRequest(bytes)
    return { headers: [...headers, ...given], body }
  }
  if (flags.file === undefined)
    throw new UsageError('Expected --file and --header, or --request with the whole request.', {
      hint: 'dlv webhooks log EVENT_ID --as http > captured.http writes such a request.',
    })
  const body = await readInputBytes(context, flags.file, '--file')
  const held = given.length === 0 ? heldRequests(jsonObjectOf(body)).filter(isWebhook) : []
  if (held.length > 0) return chosen(held, undefined, 'event')
  return { headers: given, body }
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
 * The webhook in a HAR file, in one entry of it, or in the event that a gateway or queue made of it. `entry` counts from 1
 * among the requests with webhook headers. `undefined` if the bytes are no JSON.
 *
 * @throws UsageError if it has no webhook, or several and no `entry` was given
 */
function requestInJson(bytes: Buffer, entry: number | undefined): CapturedRequest | undefined {
  const document = jsonObjectOf(bytes)
  if (document === undefined) return undefined
  const archive = Archive.safeParse(document)
  const entries = (archive.success ? archive.data.log.entries : [document]).flatMap((candidate) => {
    const parsed = Entry.safeParse(candidate)
    return parsed.success ? [recorded(parsed.data.request)] : []
  })
  const held = entries.length > 0 ? [] : heldRequests(document)
  if (entries.length > 0) return chosen(entries.length === 1 ? entries : entries.filter(isWebhook), entry, 'HAR file')
  if (held.length > 0) return chosen(held.some(isWebhook) ? held.filter(isWebhook) : held.slice(0, 1), entry, 'event')
  throw new UsageError('--request is JSON, but neither a HAR file nor an event of a gateway with a request.', {
    hint: 'If it is the body of a webhook, use --file with a --header for each of the three headers.',
  })
}

type Recorded = { headers: string[]; body: Buffer | undefined }

const isWebhook = ({ headers }: { headers: readonly string[] }) =>
  headers.some((name, index) => index % 2 === 0 && /^(?:webhook|svix)-/i.test(name))

const heldRequests = (document: unknown): Recorded[] => requestsHeldIn(document)

function recorded({ headers, postData }: z.infer<typeof Entry>['request']): Recorded {
  const { text, encoding } = postData ?? {}
  const pairs = headers.filter(({ name }) => !name.startsWith(':')).flatMap(({ name, value }) => [name, value])
  return {
    headers: pairs,
    body: text === undefined ? undefined : Buffer.from(text, encoding === 'base64' ? 'base64' : 'utf8'),
  }
}

function chosen(webhooks: Recorded[], entry: number | undefined, what: 'HAR file' | 'event'): CapturedRequest {
  const one = webhooks[(entry ?? 1) - 1]
  if (one === undefined || (webhooks.length > 1 && entry === undefined)) {
    const hint = webhooks.length > 1 ? `Choose one: --entry 1 to --entry ${webhooks.length}.` : undefined
    const found = webhooks.length === 1 ? 'one request' : `${webhooks.length} requests`
    throw new UsageError(`The ${what} has ${found} with webhook headers.`, { hint })
  }
  if (one.body === undefined || (one.body.length === 0 && what === 'HAR file')) throw bodiless(what)
  return { headers: one.headers, body: one.body }
}

function bodiless(what: 'HAR file' | 'event'): UsageError {
  return what === 'event'
    ? new UsageError('The event holds the body as parsed JSON, not its bytes: a signature cannot be checked with it.', {
        hint: 'Let the gateway pass the body on as text or base64 (a proxy integration, rawBody), and record that.',
      })
    : new UsageError('The HAR file does not hold the body of the request, only its headers.', {
        hint: "Record it with the content: in mitmproxy mitmdump --set hardump=FILE, in a browser's network panel Export HAR with the request's payload loaded; of a webhook that dlv received: dlv webhooks log EVENT_ID --as har.",
      })
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
