import { z } from 'zod'
import { isRecord, tryParseJson } from '../../shared/json.js'
import type { ObservedResponse } from './check.js'

/** Something to compare with the contract. */
export type Observed = { response: ObservedResponse } | { event: unknown }

const NamedValues = z.array(z.object({ name: z.string(), value: z.string() }))
const Content = z.object({ text: z.string().optional(), encoding: z.string().optional() }).nullish()
const HarEntry = z.object({
  request: z.object({ method: z.string(), url: z.string(), headers: NamedValues.default([]), postData: Content }),
  response: z.object({ status: z.number(), headers: NamedValues.default([]), content: Content }).nullish(),
})
const Har = z.object({ log: z.object({ entries: z.array(z.unknown()) }) })

/**
 * The responses and webhooks of an HTTP archive; `undefined` if the text is none. A request that carries a webhook's
 * headers is a webhook.
 */
export function observedOfHar(text: string): Observed[] | undefined {
  const archive = Har.safeParse(tryParseJson(text)?.value)
  if (!archive.success) return undefined
  return archive.data.log.entries.flatMap((candidate): Observed[] => {
    const entry = HarEntry.safeParse(candidate)
    if (!entry.success) return []
    const { request, response } = entry.data
    if (request.headers.some(({ name }) => name.toLowerCase() === 'webhook-id')) {
      const json = tryParseJson(textOf(request.postData))
      return json === undefined ? [] : [{ event: json.value }]
    }
    const path = servicePath(request.url)
    if (response == null || path === undefined || response.status === 0) return []
    const headers = response.headers.map(({ name, value }): [string, string] => [name, value])
    return [
      { response: { method: request.method, path, status: response.status, headers, body: textOf(response.content) } },
    ]
  })
}

const Recorded = z.object({
  method: z.string(),
  path: z.string().optional(),
  url: z.string().optional(),
  status: z.number(),
  headers: z.record(z.string(), z.string()).default({}),
  body: z.unknown(),
})

/**
 * Reads a recorded line of NDJSON: an event of `webhooks listen`, `events list` or `webhooks log`, an event itself, or
 * a response as `{method, path, status, headers, body}`. `undefined` if it is neither.
 */
export function observedOfLine(line: string): Observed | undefined {
  const value = tryParseJson(line)?.value
  if (!isRecord(value)) return undefined
  const exchange = Recorded.safeParse(value)
  if (exchange.success) {
    const { method, status, headers, body } = exchange.data
    const path = exchange.data.path ?? servicePath(exchange.data.url ?? '')
    if (path === undefined) return undefined
    const text = typeof body === 'string' ? body : JSON.stringify(body ?? null)
    return { response: { method, path, status, headers: Object.entries(headers), body: text } }
  }
  if (isRecord(value.event)) return { event: value.event }
  if (isRecord(value.data) && typeof value.eventType === 'string') return { event: value.data }
  return typeof value.eventType === 'string' ? { event: value } : undefined
}

/** The part of an address below the major version, wherever the service is. */
function servicePath(url: string): string | undefined {
  return /\/delivery\/v\d+(?<path>\/[^?#]*)/.exec(url)?.groups?.path
}

function textOf(content: z.infer<typeof Content>): string {
  const { text = '', encoding } = content ?? {}
  return encoding === 'base64' ? Buffer.from(text, 'base64').toString('utf8') : text
}
