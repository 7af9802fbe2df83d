/** Events as evidence: one webhook as a request, a command, a fixture or a test. */

import { curlOf } from './curl.js'
import type { ExportedEvent } from './exported-event.js'
import { fixtureOf } from './fixture.js'
import { harOf } from './har.js'
import { httpRequestOf } from './http.js'
import { testLanguages, testOf } from './languages.js'
import { vitestOf } from './vitest.js'

export { curlOf } from './curl.js'
export type { ExportedEvent } from './exported-event.js'
export { type EventFixture, fixtureOf } from './fixture.js'
export { harOf } from './har.js'
export { httpRequestOf } from './http.js'
export { vitestOf } from './vitest.js'

export const exportFormats = ['http', 'har', 'curl', 'fixture', 'vitest', ...testLanguages] as const
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
    case 'fixture':
      return Buffer.from(`${JSON.stringify(fixtureOf(event), null, 2)}\n`)
    case 'vitest':
      return Buffer.from(vitestOf(event))
    default:
      return Buffer.from(testOf(event, format))
  }
}
