import { readdirSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { fuzz } from '../support/sandbox/fuzz.js'
import { startTestSandbox } from '../support/sandbox/sandboxes.js'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** What a leak would make grow: the heap, timers and sockets, and the files that the process holds open. */
function holdings(): { heapMegabytes: number; resources: number; files: number } {
  collectGarbage()
  return {
    heapMegabytes: process.memoryUsage().heapUsed / 1_048_576,
    resources: process.getActiveResourcesInfo().length,
    files: process.platform === 'linux' ? readdirSync('/proc/self/fd').length : 0,
  }
}

describe('two hundred thousand odd requests', () => {
  test('get an answer of the contract each, never a 500, and leave no memory, socket or file behind', async () => {
    const { sandbox } = await startTestSandbox()
    await fuzz(sandbox.baseUrl, 20_000, 1)
    const before = holdings()
    for (let seed = 2; seed <= 10; seed++) await fuzz(sandbox.baseUrl, 20_000, seed)
    const after = holdings()
    process.stderr.write(`after 20,000 requests ${JSON.stringify(before)}, after 200,000 ${JSON.stringify(after)}\n`)
    expect(after.heapMegabytes - before.heapMegabytes).toBeLessThan(20)
    expect(after.resources - before.resources).toBeLessThan(20)
    expect(after.files - before.files).toBeLessThan(20)
  })
})
