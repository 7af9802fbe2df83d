import { plainLines, plainText } from './plain-text.js'
import { paint } from './style.js'
import { idOf, type View } from './view.js'

/** The result of sending a webhook. */
export interface SentRow {
  id: string
  url: string
  status: number | null
  durationMs: number
  error: string | null
  body: string | null
}

/** A sent webhook with the response. */
export const sentView: View<SentRow> = {
  id: idOf('id'),
  columns: [{ name: 'id' }, { name: 'status' }, { name: 'durationMs' }, { name: 'error' }],
  card({ id, url, status, durationMs, error, body }, style) {
    const isAccepted = status !== null && status >= 200 && status < 300
    const head = `${paint(style, isAccepted ? 'green' : 'red', status === null ? 'no response' : String(status))}  POST ${plainText(url)}   ${durationMs} ms  ${plainText(id)}`
    return [head, error === null ? '' : plainText(error), body === null ? '' : plainLines(body)]
      .filter((line) => line !== '')
      .join('\n')
  },
}

/** The headers of a signed webhook, ready to paste after `-H`. */
export const signedHeadersView: View<{
  'webhook-id': string
  'webhook-timestamp': string
  'webhook-signature': string
}> = {
  id: idOf('webhook-signature'),
  columns: [{ name: 'webhook-id' }, { name: 'webhook-timestamp' }, { name: 'webhook-signature' }],
  card: (headers) =>
    Object.entries(headers)
      .map(([name, value]) => `${name}: ${value}`)
      .join('\n'),
}
