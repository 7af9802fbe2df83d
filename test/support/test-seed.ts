/** The seed of this test run: given by `DLV_TEST_SEED`, else new; printed, so that it can be given again. */
export function testSeed(): number {
  const given = process.env.DLV_TEST_SEED
  const seed = given === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(given)
  process.stderr.write(`seed ${seed} (repeat with DLV_TEST_SEED=${seed})\n`)
  return seed
}
