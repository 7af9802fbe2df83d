import { describe, expect, onTestFinished, test } from 'vitest'
import { seededRandom } from '../../src/shared/math.js'
import { createByKilledPrograms } from '../support/bulk/killed-programs.js'
import { runUntilDone } from '../support/bulk/killed-runs.js'
import { createCli } from '../support/cli/program.js'
import { type Fault, faults, startScriptedServer } from '../support/client/scripted-server.js'
import { testSeed } from '../support/samples.js'

const orders = 10_000

describe('10,000 orders, killed twenty times and resumed', () => {
  test('are created once each on a server that fails in every way it can', async () => {
    const server = await startScriptedServer()
    onTestFinished(() => server.close())
    const random = seededRandom(testSeed())
    const cli = createCli()
    const env = { DLV_BASE_URL: server.baseUrl, DLV_API_KEY: 'key' }
    const words = ['deliveries', 'create', '--attempt-timeout', '1s', '-o', 'ndjson', '--file']
    const mishaps: Fault[] = [
      faults.resetBefore(),
      faults.resetAfter(),
      faults.resetMidway(),
      faults.truncatedJson(),
      faults.closeDelimited(),
      faults.without('deliveryId'),
      faults.refuseAfter(500, 'INTERNAL_ERROR'),
      faults.refuse(503, 'SERVICE_UNAVAILABLE', { 'retry-after': '0' }),
      faults.refuse(409, 'IDEMPOTENCY_CONFLICT'),
      faults.hangAfter(),
    ]
    server.always = (turn) => {
      const mishap = random() < 0.03 ? mishaps[Math.floor(random() * mishaps.length)] : undefined
      ;(mishap ?? faults.serve())(turn)
    }
    const { kills } = await runUntilDone({
      orders,
      kills: 20,
      random,
      begin: ({ file }) => cli.startProcess([...words, file], { env }),
      beforeOnceMore: () => {
        server.requests.length = 0
      },
    })
    expect(kills).toBe(20)
    expect(server.service.creations).toBe(orders)
    expect(server.requests).toEqual([])
  })

  test('are created once each by the program on the program: dlv deliveries create and dlv sandbox start', async () => {
    expect(await createByKilledPrograms(createCli(), { orders, kills: 20, seed: testSeed() })).toBe(20)
  })
})
