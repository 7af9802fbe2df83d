/**
 * Runs on one results file in a process of its own, until it was held that often: prints how often it was held, how
 * often refused, and how often another process held it at the same time.
 */
import { closeSync, openSync, rmSync } from 'node:fs'
import type { Rows } from '../../../src/bulk/index.js'

const [bulkModule = '', clientModule = '', resultsFile = '', times = ''] = process.argv.slice(2)
const { createAction, run } = (await import(bulkModule)) as typeof import('../../../src/bulk/index.js')
const { createClient, createPacer } = (await import(clientModule)) as typeof import('../../../src/client/index.js')

const pacer = createPacer()
const client = createClient({ baseUrl: 'http://127.0.0.1:9', apiKey: 'key', pacer })
const counts = { held: 0, refused: 0, overlaps: 0 }

/** No rows: they are asked for by whoever holds the file, and only one can make the marker. */
const rows: Rows = {
  reading: { bytesRead: 0, bytesTotal: undefined, rowsRead: 0 },
  [Symbol.asyncIterator]: () => ({
    async next() {
      counts.held++
      const marker = `${resultsFile}.marker`
      try {
        closeSync(openSync(marker, 'wx'))
        rmSync(marker)
      } catch {
        counts.overlaps++
      }
      return { done: true, value: undefined }
    },
  }),
}

while (counts.held < Number(times))
  await run({ rows, action: createAction(client), resultsFile, owner: 'test', pacer }).catch((error: Error) => {
    if (!error.message.startsWith('Another run is writing')) throw error
    counts.refused++
  })
await client.close()
process.stdout.write(JSON.stringify(counts))
