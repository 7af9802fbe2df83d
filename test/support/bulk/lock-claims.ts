/**
 * Many runs on one results file whose lock is not held by anyone that lives, in a process of its own: prints how many
 * of them came to hold it, and whether each of the others was refused.
 */
import { setTimeout as poll } from 'node:timers/promises'
import type { Rows } from '../../../src/bulk/index.js'

const [bulkModule = '', clientModule = '', resultsFile = '', runs = ''] = process.argv.slice(2)
const { createAction, run } = (await import(bulkModule)) as typeof import('../../../src/bulk/index.js')
const { createClient, createPacer } = (await import(clientModule)) as typeof import('../../../src/client/index.js')

const pacer = createPacer()
const client = createClient({ baseUrl: 'http://127.0.0.1:9', apiKey: 'key', pacer })
const over = Promise.withResolvers<void>()
let held = 0
let refused = 0

/** Rows that are asked for by who holds the file, and end when everyone has tried. */
const rows: Rows = {
  reading: { bytesRead: 0, bytesTotal: undefined },
  [Symbol.asyncIterator]: () => ({
    async next() {
      held++
      await over.promise
      return { done: true, value: undefined }
    },
  }),
}

const claims = Array.from({ length: Number(runs) }, () =>
  run({ rows, action: createAction(client, { profile: 'test' }), resultsFile, profile: 'test', pacer }).catch(
    (error: Error) => {
      if (!error.message.startsWith('Another run is writing')) throw error
      refused++
    },
  ),
)
while (held + refused < claims.length) await poll(1)
over.resolve()
await Promise.all(claims)
await client.close()
process.stdout.write(JSON.stringify({ held, refused }))
