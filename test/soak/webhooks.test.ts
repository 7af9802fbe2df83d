import { expect, it } from 'vitest'
import { seededRandom } from '../../src/shared/math.js'
import { killRun } from '../support/listener/kill-run.js'
import { mutate } from '../support/webhooks/mutations.js'

const seed = Date.now()

it('of ten million changed webhooks none is accepted and none makes the verifier throw', () => {
  const report = mutate(10_000_000, seededRandom(seed))
  expect(report.accepted, `seed ${seed}`).toEqual([])
  expect(report.tried).toBe(10_000_000)
})

it('a listener that is killed fifty times under 5,000 events loses none and forwards none again', async () => {
  const report = await killRun({ events: 5_000, kills: 50, random: seededRandom(seed) })
  expect(report, `seed ${seed}`).toEqual({
    acknowledged: 5_000,
    kills: 50,
    lost: [],
    forwardedAgain: [],
    neverForwarded: [],
    integrity: 'ok',
  })
})
