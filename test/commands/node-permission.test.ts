import { afterAll, expect, test } from 'vitest'
import { createCli } from '../support/cli/program.js'

const cli = createCli(afterAll)
const files = '--permission --allow-fs-read=* --allow-fs-write=*'

test.each([
  ['--permission', ['health'], '--allow-fs-read=*'],
  [files, ['deliveries', 'list', '--jq', 'length'], '--allow-worker is missing'],
  [`${files} --allow-child-process`, ['query', 'SELECT 1'], '--allow-worker is missing'],
])('With %s, %o names the flag of Node that is missing', async (NODE_OPTIONS, words, flag) => {
  const { stderr, exitCode } = await cli.runProcess(words, { env: { NODE_OPTIONS } })
  expect([exitCode, stderr.match(/^hint: /gm)?.length], stderr).toEqual([2, 1])
  expect(stderr).toContain(flag)
  expect(stderr).not.toMatch(/DEFECT|\bat .*\.(?:js|cjs|ts):\d/)
})

test(`With ${files}, deliveries are listed`, async () => {
  const { stdout, exitCode } = await cli.runProcess(['deliveries', 'list', '--json'], { env: { NODE_OPTIONS: files } })
  expect([exitCode, JSON.parse(stdout)]).toEqual([0, []])
})
