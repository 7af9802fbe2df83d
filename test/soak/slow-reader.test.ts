import { setTimeout as wait } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { createCli } from '../support/cli/program.js'
import { serveManyDeliveries } from '../support/sandbox/many-deliveries.js'

const rowCount = 100_000

for (const [format, lineCount] of [
  ['ndjson', rowCount],
  ['csv', rowCount + 1],
  ['table', rowCount],
] as const)
  it(`100,000 rows of ${format} outlive a reader that looks away for 15 s, as less does`, async () => {
    const service = await serveManyDeliveries(rowCount)
    onTestFinished(() => service.close())
    const words = ['deliveries', 'list', '--from', '30d', '--all', '-o', format]
    const running = createCli().startProcess(words, { env: service.env })
    running.child.stdout?.pause()
    await wait(15_000)
    expect(running.child.exitCode).toBeNull()
    running.child.stdout?.resume()
    const { exitCode, stderr } = await running.ended
    expect(stderr).toBe('')
    expect(exitCode).toBe(0)
    expect(running.lines()).toHaveLength(lineCount)
    expect(running.lines().at(-1)).toContain(`del_${rowCount - 1}`)
  }, 120_000)
