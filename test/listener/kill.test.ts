import { expect, it } from 'vitest'
import { accountKillRun } from '../support/listener/account-kill-run.js'
import { killRun } from '../support/listener/kill-run.js'
import { sampleCount } from '../support/samples.js'

const events = sampleCount(1_200)
const kills = sampleCount(20)

it('a listener that is killed under load loses no acknowledged event and forwards none after its success was recorded', async () => {
  const report = await killRun({ events, kills, random: Math.random })
  expect(report).toEqual({
    acknowledged: events,
    kills,
    lost: [],
    forwardedAgain: [],
    neverForwarded: [],
    integrity: 'ok',
  })
})

it('a listener for three accounts that is killed has each event once, with its account, and forwards it as its', async () => {
  const report = await accountKillRun({ deliveriesOfEach: 6, kills, random: Math.random })
  expect(report).toMatchObject({ lost: [], twice: [], foreign: [], notForwarded: [], wronglyForwarded: [], kills })
  expect(report.events).toBeGreaterThan(100)
})
