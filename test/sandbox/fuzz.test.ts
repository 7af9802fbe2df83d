import { describe, expect, test } from 'vitest'
import { fuzz } from '../support/sandbox/fuzz.js'
import { startTestSandbox } from '../support/sandbox/sandboxes.js'

describe('three thousand odd requests', () => {
  test('get an answer of the contract each, never a 500, and leave the service alive', async () => {
    const { sandbox, caller } = await startTestSandbox()
    const statuses = await fuzz(sandbox.baseUrl, 3_000, 2_026)
    // How many there are of each depends on which of sixteen requests is answered first.
    for (const status of [200, 201, 400, 401, 404, 405, 409, 422])
      expect(statuses.get(status), `${status}`).toBeGreaterThan(0)
    expect((await caller.get('/health')).status).toBe(200)
  })
})
