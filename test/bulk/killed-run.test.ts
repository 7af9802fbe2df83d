import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { seededRandom } from '../../src/shared/seeded-random.js'
import { runUntilDone } from '../support/bulk/killed-runs.js'
import { startBulkProcess, testSeed } from '../support/bulk/process.js'
import { faults, type ScriptedServer, startScriptedServer } from '../support/client/scripted-server.js'

let server: ScriptedServer
beforeEach(async () => {
  server = await startScriptedServer()
})
afterEach(() => server.close())

describe('A run that is killed and resumed', () => {
  test('creates every order once, and nothing when it is run once more', async () => {
    const random = seededRandom(testSeed())
    server.always = (turn) => {
      const fate = random()
      const fault = fate < 0.02 ? faults.resetAfter() : fate < 0.04 ? faults.resetBefore() : faults.serve()
      setTimeout(() => fault(turn), random() * 4)
    }
    const { last } = await runUntilDone({
      orders: 300,
      kills: 5,
      random,
      begin: (files) => startBulkProcess({ ...files, baseUrl: server.baseUrl }),
      beforeOnceMore: () => {
        server.requests.length = 0
      },
    })
    expect(last.report?.earlier).toBe(300)
    expect(server.service.creations).toBe(300)
    expect(server.requests).toEqual([])
  })
})
