/** Events as evidence: one webhook as a request, a command, a fixture or a test. */

import { type ExportedEvent, evidenceHeaders, exactText, receiverUrl, signedHeaders } from './exported-event.js'
import { curlOf, harOf, powershellOf, vitestOf } from './formats.js'

export { type ExportedEvent, pathOf } from './exported-event.js'

export const exportFormats = ['http', 'har', 'curl', 'fish', 'powershell', 'fixture', 'vitest'] as const
export type ExportFormat = (typeof exportFormats)[number]

/** The program that a HAR archive names. */
interface HarCreator {
  name: string
  version: string
}

/** The event in one of the formats, as a file's exact bytes. */
export function exportEvent(event: ExportedEvent, format: ExportFormat, creator: HarCreator): Uint8Array {
  switch (format) {
    case 'http':
      return httpRequestOf(event)
    case 'har':
      return Buffer.from(`${JSON.stringify(harOf(event, creator), null, 2)}\n`)
    case 'curl':
      return Buffer.from(`${curlOf(event)}\n`)
    case 'fish':
      return Buffer.from(`${curlOf(event, 'fish')}\n`)
    case 'powershell':
      return Buffer.from(`${powershellOf(event)}\n`)
    case 'fixture':
      return Buffer.from(`${JSON.stringify(fixtureOf(event), null, 2)}\n`)
    case 'vitest':
      return Buffer.from(vitestOf(event))
  }
}

/** The event as a raw HTTP/1.1 request: its body has the exact bytes, and nothing follows it. */
function httpRequestOf(event: ExportedEvent): Uint8Array {
  const { host, pathname, search } = new URL(receiverUrl(event))
  const headers: [string, string][] = [
    ['Host', host],
    ...evidenceHeaders(event),
    ['Content-Length', String(event.body.length)],
  ]
  const head = [`POST ${pathname}${search} HTTP/1.1`, ...headers.map(([name, value]) => `${name}: ${value}`), '', '']
  return Buffer.concat([Buffer.from(head.join('\r\n'), 'latin1'), event.body])
}

/** An event for a test of one's own. */
interface EventFixture {
  /** The type and the signed headers, by their names in lower case. */
  headers: Record<string, string>
  /** The exact text; base64 if the bytes are not UTF-8, and then `encoding` says so. */
  body: string
  encoding?: 'base64'
}

/** The event as headers and exact text. */
function fixtureOf(event: ExportedEvent): EventFixture {
  const { text, encoding } = exactText(event.body)
  return { headers: signedHeaders(event), body: text, ...(encoding === 'base64' ? { encoding } : {}) }
}
