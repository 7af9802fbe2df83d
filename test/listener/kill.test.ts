import { expect, it } from 'vitest'
import { killRun } from '../support/listener/kill-run.js'

it('a listener that is killed under load loses no acknowledged event and forwards none after its success was recorded', async () => {
  const report = await killRun({ events: 400, kills: 3, random: Math.random })
  expect(report).toEqual({
    acknowledged: 400,
    kills: 3,
    lost: [],
    forwardedAgain: [],
    neverForwarded: [],
    integrity: 'ok',
  })
})
