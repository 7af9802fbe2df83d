import { z } from 'zod'
import { UsageError } from '../../contract/index.js'
import { tryParseJson } from '../../shared/json.js'

/** A captured request: alternating header names and values, and the exact bytes of the body. */
export interface CapturedRequest {
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
export function requestOfHar(bytes: Buffer, entry: number | undefined): CapturedRequest | undefined {
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
