import { type ExportedEvent, evidenceHeaders, receiverUrl } from './exported-event.js'

/** The event as a raw HTTP/1.1 request: its body has the exact bytes, and nothing follows it. */
export function httpRequestOf(event: ExportedEvent): Uint8Array {
  const { host, pathname, search } = new URL(receiverUrl(event))
  const headers: [string, string][] = [
    ['Host', host],
    ...evidenceHeaders(event),
    ['Content-Length', String(event.body.length)],
  ]
  const head = [`POST ${pathname}${search} HTTP/1.1`, ...headers.map(([name, value]) => `${name}: ${value}`), '', '']
  return Buffer.concat([Buffer.from(head.join('\r\n'), 'latin1'), event.body])
}
