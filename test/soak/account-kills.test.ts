import { expect, it } from 'vitest'
import { seededRandom } from '../../src/shared/math.js'
import { accountKillRun } from '../support/listener/account-kill-run.js'
import { createTestDatabase, describeOnPostgres } from '../support/postgres/database.js'

const seed = Date.now() % 100_000
const nothing = { lost: [], twice: [], foreign: [], notForwarded: [], wronglyForwarded: [] }

async function run(journal?: { address: string; env: NodeJS.ProcessEnv }) {
  const options = { deliveriesOfEach: 70, kills: 10, random: seededRandom(seed) }
  const report = await accountKillRun(journal === undefined ? options : { ...options, journal })
  process.stdout.write(`seed ${seed}: ${JSON.stringify(report)}\n`)
  expect(report, `seed ${seed}`).toMatchObject(nothing)
  expect(report.events).toBeGreaterThan(5_000)
  // What was under way at a kill, 32 at a target.
  expect(report.forwardedAgain).toBeLessThanOrEqual(10 * 3 * 32)
}

it(
  'a listener for three accounts that is killed ten times under 5,000 events has each once, with its account',
  () => run(),
  600_000,
)

describeOnPostgres('in a journal on PostgreSQL', () => {
  it('each is kept once as well, with its account', async () => run(await createTestDatabase()), 600_000)
})
