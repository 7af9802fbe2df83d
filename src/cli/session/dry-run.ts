import type { ClientOptions, RequestToSend, Transport } from '../../client/index.js'
import type { Settings } from '../../profiles/index.js'
import { safeJson } from '../../render/plain-text.js'
import { paint } from '../../render/style.js'
import { idOf, type View } from '../../render/view.js'
import { tryParseJson } from '../../shared/json.js'
import { redactSecrets } from '../../shared/redact-secrets.js'

/** A request as it would be sent, with redacted credentials. */
interface ShownRequest {
  method: string
  url: string
  headers: Record<string, string>
  body?: unknown
}

/** The known effect of a request before it is sent. */
export interface RequestEffect {
  /** The fee of cancelling now; `null` if the service does not say. */
  cancellationFeeCents?: number | null
}

/** A client with these options prepares requests and sends none; the embedded sandbox is not opened for its key. */
export function dryRunOptions({ apiKey }: Pick<Settings, 'apiKey'>): Pick<ClientOptions, 'transport' | 'apiKey'> {
  const transport: Transport = { send: () => Promise.reject(new Error('A dry run sends nothing')) }
  return { transport, apiKey: apiKey ?? 'dlvk_embedded' }
}

/** Prepares a request to be shown, with header names as documentation spells them. */
export function shownRequest({ method, url, headers, body }: RequestToSend): ShownRequest {
  return {
    method,
    url,
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [
        name.replace(/\b[a-z]/g, (letter) => letter.toUpperCase()),
        redactSecrets(value),
      ]),
    ),
    // An absent body has no line in a pipe.
    ...(body === undefined ? {} : { body: tryParseJson(body, 'answer')?.value }),
  }
}

export const requestView: View<ShownRequest & RequestEffect> = {
  id: idOf('url'),
  columns: [{ name: 'method' }, { name: 'url' }, { name: 'headers' }, { name: 'body' }],
  card: ({ method, url, headers, body }, style) =>
    [
      paint(style, 'bold', `${method} ${url}`),
      ...Object.entries(headers).map(([name, value]) => paint(style, 'dim', `${name}: ${value}`)),
      ...(body === undefined ? [] : ['', safeJson(body, 2)]),
    ].join('\n'),
}
