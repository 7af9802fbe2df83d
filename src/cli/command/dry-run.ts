import { formatQuery, type InputOf, type OperationName, operationRows } from '../../contract/index.js'
import type { Settings } from '../../profiles/index.js'
import { safeJson } from '../../render/plain-text.js'
import { paint } from '../../render/style.js'
import { idOf, type View } from '../../render/view.js'
import type { Output } from '../output/output.js'
import { embeddedBaseUrl } from './embedded-sandbox.js'

/** A request as it would be sent, without its key. */
export interface RequestPlan {
  method: string
  url: string
  headers: Record<string, string>
  body?: unknown
}

const planView: View<RequestPlan> = {
  id: idOf('url'),
  columns: [{ name: 'method' }, { name: 'url' }, { name: 'headers' }, { name: 'body' }],
  card: ({ method, url, headers, body }, style) =>
    [
      paint(style, 'bold', `${method} ${url}`),
      ...Object.entries(headers).map(([name, value]) => paint(style, 'dim', `${name}: ${value}`)),
      ...(body === undefined ? [] : ['', safeJson(body, 2)]),
    ].join('\n'),
}

/** Prints the request of an operation and sends nothing. */
export async function dryRun<Name extends OperationName>(
  output: Output,
  settings: Settings,
  name: Name,
  input: InputOf<Name>,
): Promise<undefined> {
  const row = operationRows[name]
  const parts = input as { query?: Record<string, unknown>; body?: unknown; idempotencyKey?: string }
  const path = row.path.replace(/\{(\w+)\}/g, (_, parameter: string) =>
    encodeURIComponent(String((input as Record<string, unknown>)[parameter] ?? '')),
  )
  const query = formatQuery(parts.query ?? {}).toString()
  const plan: RequestPlan = {
    method: row.method,
    url: `${settings.baseUrl ?? embeddedBaseUrl}${path}${query === '' ? '' : `?${query}`}`,
    headers: {
      Authorization: 'Bearer …',
      ...(parts.idempotencyKey === undefined ? {} : { 'Idempotency-Key': parts.idempotencyKey }),
      ...(parts.body === undefined ? {} : { 'Content-Type': 'application/json' }),
    },
    ...(parts.body === undefined ? {} : { body: parts.body }),
  }
  await output.show(planView, plan)
  return undefined
}
