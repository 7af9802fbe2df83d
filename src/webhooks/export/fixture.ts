import { type ExportedEvent, exactText, signedHeaders } from './exported-event.js'

/** An event for a test of one's own. */
export interface EventFixture {
  /** The type and the signed headers, by their names in lower case. */
  headers: Record<string, string>
  /** The exact text; base64 if the bytes are not UTF-8, and then `encoding` says so. */
  body: string
  encoding?: 'base64'
}

/** The event as headers and exact text. */
export function fixtureOf(event: ExportedEvent): EventFixture {
  const { text, encoding } = exactText(event.body)
  return { headers: signedHeaders(event), body: text, ...(encoding === 'base64' ? { encoding } : {}) }
}
