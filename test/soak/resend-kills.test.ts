import { expect, it } from 'vitest'
import { seededRandom } from '../../src/shared/math.js'
import { createCli } from '../support/cli/program.js'
import { startTestApp } from '../support/listener/test-app.js'
import { testSeed } from '../support/samples.js'
import { until } from '../support/until.js'

const kills = 30

/** 800 events and more of the embedded sandbox, received by a listener: their ids as `events list -q` prints them. */
async function receivedEvents(cli: ReturnType<typeof createCli>): Promise<string[]> {
  await cli.json(['sandbox', 'seed', '--count', '160'])
  const ids = (await cli.run(['events', 'list', '--all', '--since', '29d', '-q'])).stdout.trim().split('\n')
  const listener = cli.start(['webhooks', 'listen', '--since', '29d', '-o', 'ndjson'])
  // The ready line comes before them.
  await until(`${ids.length} received events`, () => listener.lines().length > ids.length)
  await listener.kill('SIGINT')
  return ids
}

it.each([
  'webhooks resend',
  'events replay',
])('%s - that is killed thirty times posts each event once, but for the one under way', async (command) => {
  const random = seededRandom(testSeed())
  const cli = createCli()
  const ids = await receivedEvents(cli)
  expect(ids.length).toBeGreaterThan(500)
  const app = await startTestApp()
  const words = [...command.split(' '), '-', '--to', app.url, '-o', 'ndjson']
  const stdin = `${ids.join('\n')}\n`
  let killed = 0
  for (let kill = 1; kill <= kills; kill++) {
    const target = app.arrived.length + random() * ((ids.length - app.arrived.length) / (kills + 1 - kill))
    const sending = cli.startProcess(words, { stdin })
    await until('an event more', () => app.arrived.length > target || sending.child.exitCode !== null)
    if ((await sending.kill('SIGKILL')).exitCode === null) killed++
  }
  expect(killed).toBe(kills)
  const last = await cli.run(words, { stdin })
  expect(last.exitCode, last.stderr).toBe(0)
  expect([...new Set(app.ids())]).toEqual(ids)
  process.stderr.write(`${ids.length} events, ${kills} kills, ${app.arrived.length} posts\n`)
  expect(app.arrived.length).toBeLessThanOrEqual(ids.length + kills)
})
