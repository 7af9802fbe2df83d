import { type ExportedEvent, evidenceHeaders, exactText, receiverUrl } from './exported-event.js'

/** The event as a HAR 1.2 archive of one request, which browsers and proxies can import. */
export function harOf(event: ExportedEvent, creator: { name: string; version: string }) {
  const { text, encoding } = exactText(event.body)
  const headers = evidenceHeaders(event).map(([name, value]) => ({ name, value }))
  const mimeType = headers.find(({ name }) => name.toLowerCase() === 'content-type')?.value ?? 'application/json'
  const url = receiverUrl(event)
  const entry = {
    startedDateTime: new Date(event.receivedAtMs ?? 0).toISOString(),
    time: 0,
    request: {
      method: 'POST',
      url,
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers,
      queryString: [...new URL(url).searchParams].map(([name, value]) => ({ name, value })),
      postData: { mimeType, text, ...(encoding === 'base64' ? { encoding } : {}) },
      headersSize: -1,
      bodySize: event.body.length,
    },
    response: {
      status: 0,
      statusText: '',
      httpVersion: '',
      cookies: [],
      headers: [],
      content: { size: 0, mimeType: 'x-unknown' },
      redirectURL: '',
      headersSize: -1,
      bodySize: -1,
      comment: 'The response was not recorded.',
    },
    cache: {},
    timings: { send: 0, wait: 0, receive: 0 },
    comment: event.id,
  }
  return { log: { version: '1.2', creator, entries: [entry] } }
}
