import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createByKilledPrograms } from '../support/bulk/killed-programs.js'
import { orderLines } from '../support/bulk/run.js'
import { createCli } from '../support/cli/program.js'
import { faults, serveScripted } from '../support/client/scripted-server.js'
import { sampleCount, testSeed } from '../support/samples.js'

const { server, env } = serveScripted()

/**
 * Makes the program say at its end how much memory it ever had resident, in KiB. Linux counts it from zero for a program
 * that is started; `maxRSS` begins with the size of the process that started it.
 */
const sayPeak = `--import=data:text/javascript,${encodeURIComponent(
  `import { readFileSync } from 'node:fs'
  const peak = () => {
    try {
      return /VmHWM:\\s*(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]
    } catch {
      return process.resourceUsage().maxRSS
    }
  }
  process.on('exit', () => process.stderr.write('peak ' + peak() + ' KiB\\n'))`,
)}`

describe('A bulk run on a service that responds 503 forever', () => {
  test.each([
    ['with no word on when', {}],
    ['with a Retry-After', { 'retry-after': '1' }],
  ])('%s stops soon, after few requests and in little memory, and says so', async (_, headers) => {
    const cli = createCli()
    const file = join(cli.home, 'orders.ndjson')
    writeFileSync(file, orderLines(10_000))
    const words = ['deliveries', 'create', '--file', file, '-o', 'ndjson']
    server.always = faults.refuse(503, 'SERVICE_UNAVAILABLE', headers)
    const stopped = await cli.runProcess(words, { env: { ...env(), NODE_OPTIONS: sayPeak } })
    expect(stopped.exitCode).toBe(8)
    expect(server.requests.length).toBeLessThan(200)
    expect(stopped.stdout).toBe('')
    expect(stopped.stderr).toContain(`Results: ${file}.results.ndjson`)
    expect(stopped.stderr).toMatch(
      /Stopped: no usable response from the service .*\. Run the same command to resume\.$/m,
    )
    expect(Number(/peak (\d+) KiB/.exec(stopped.stderr)?.[1])).toBeLessThan(200 * 1_024)
    // What it read ahead does not depend on how much there is.
    expect(readFileSync(`${file}.results.ndjson`, 'utf8').split('"intent":').length).toBeLessThan(500)
  })
})

describe('A bulk run that is killed and resumed', () => {
  test('creates every order once on a sandbox that fails now and then, and sends nothing when it is run once more', async () => {
    expect(
      await createByKilledPrograms(createCli(), {
        orders: sampleCount(1_000),
        kills: sampleCount(20),
        seed: testSeed(),
      }),
    ).toBeGreaterThan(0)
  })
})
