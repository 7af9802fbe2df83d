import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import manifest from '../../oclif.manifest.json' with { type: 'json' }
import { type OperationName, operationNames, operationRows } from '../../src/contract/index.js'
import { createCli } from '../support/cli/program.js'
import { serveSandbox } from '../support/sandbox/served-sandbox.js'

const file = ['--file', 'examples/order.json']

/** The command that reaches each operation; `ID` and `DRIVER` stand for what the sandbox holds. */
const commands: Record<OperationName, string[]> = {
  getHealth: ['health'],
  getCapabilities: ['capabilities'],
  createQuote: ['quotes', 'create', ...file],
  createDelivery: ['deliveries', 'create', ...file, '--ref', 'OPERATIONS-1'],
  listDeliveries: ['deliveries', 'list', '--from', '1h'],
  getDelivery: ['deliveries', 'get', 'ID'],
  updateDelivery: ['deliveries', 'update', 'ID', '--instructions', 'Ring twice'],
  simulateDelivery: ['simulate', 'ID', '--to', 'driver_assigned'],
  cancelDelivery: ['deliveries', 'cancel', 'ID', '--reason', 'customer_cancelled'],
  listDrivers: ['drivers', 'list'],
  getDriver: ['drivers', 'get', 'DRIVER'],
  listTeams: ['teams', 'list'],
  listInstallations: ['installations', 'list', '--state', 'NC'],
  getInstallation: ['installations', 'get', 'FTBRAGG'],
  checkServiceability: ['installations', 'check', 'FTBRAGG'],
  listEvents: ['events', 'list', '--since', '1h'],
}

describe('every operation of the contract', () => {
  const sandbox = serveSandbox()
  const cli = createCli(afterAll)
  /** The one kind of account that may see its drivers when none of them is under way. */
  const env = () => sandbox.env('dlvk_sbx_ownedfleet')
  const ids: Record<string, string> = {}

  beforeAll(async () => {
    const another = ['deliveries', 'create', ...file, '--ref', 'OPERATIONS-0']
    const { deliveryId } = await cli.json<{ deliveryId: string }>(another, { env: env() })
    const [driver] = await cli.json<{ id: string }[]>(commands.listDrivers, { env: env() })
    Object.assign(ids, { ID: deliveryId, DRIVER: driver?.id })
  })

  it('has a command', () => {
    const ids = new Set(Object.keys(manifest.commands))
    const without = operationNames.filter((name) => {
      const [first = '', second = ''] = commands[name] ?? []
      return !ids.has(`${first}:${second}`) && !ids.has(first)
    })
    expect(without).toEqual([])
  })

  it.each(
    Object.keys(commands) as OperationName[],
  )('%s is reached, with the method and the path of its row', async (name) => {
    const { method, path } = operationRows[name]
    const words = commands[name].map((word) => ids[word] ?? word)
    const { exitCode, stdout, stderr } = await cli.run([...words, '--json', '--verbose'], { env: env() })
    expect(exitCode, stderr).toBe(0)
    const pattern = new RegExp(`${method} \\S*/delivery/v1${path.replace(/\{\w+\}/g, '[^/?\\s]+')}(?:\\?|\\s|$)`, 'm')
    expect(stderr).toMatch(pattern)
    expect(JSON.parse(stdout)).toBeTypeOf('object')
  })
})
