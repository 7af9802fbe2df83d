import { it } from 'vitest'
import { DrawnAccounts, drawnSteps } from '../support/drawn-accounts.js'
import { createTestDatabase, describeOnPostgres } from '../support/postgres/database.js'
import { fc, sampleCount } from '../support/samples.js'

describeOnPostgres('Two accounts whose profiles are renamed, re-keyed, removed and added again', () => {
  it('lose nothing, send nothing twice, and never meet a row, a name or a signature of each other', async () => {
    await fc.assert(
      fc.asyncProperty(drawnSteps, async (steps) => {
        const world = await DrawnAccounts.start(await createTestDatabase())
        for (const step of steps) await world.take(step)
        await world.expectNothingMissing()
      }),
      { numRuns: sampleCount(20) },
    )
  })
})
