import fc from 'fast-check'

/**
 * How much tests draw: in `npm test` a tenth, from the same seed in each run; all of it, from a new seed, where
 * `DLV_TEST_SAMPLES` is `all`, as in `npm run test:soak`, which prints that seed.
 */
const isAll = process.env.DLV_TEST_SAMPLES === 'all'

/** The seed of everything that is drawn; `DLV_TEST_SEED` gives another one. */
export function testSeed(): number {
  return Number(process.env.DLV_TEST_SEED ?? 1)
}

/** How many samples are drawn of the number that would be thorough. */
export function sampleCount(all: number): number {
  return isAll ? all : Math.max(2, Math.ceil(all / 10))
}

fc.configureGlobal({ seed: testSeed(), numRuns: sampleCount(300) })

// Properties are drawn by this one, so that none draws more.
export { default as fc } from 'fast-check'
