import { idOf, type View } from './view.js'

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
