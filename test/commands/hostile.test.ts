import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startJsonServer } from '../support/cli/json-server.js'
import { createCli } from '../support/cli/program.js'

/** Clears the screen, names the window, turns text around, and hides itself. */
const hostile = '\u001b]0;owned\u0007\u001b[2J\u009b31m\u202eevil\u2066\u200b\r\n\tend\u007f'
const formula = '=HYPERLINK("http://evil.example.com")'
const time = '2026-03-02T15:00:00Z'

const delivery = {
  deliveryId: hostile,
  clientOrderReference: formula,
  status: hostile,
  statusReasonCode: hostile,
  statusReason: hostile,
  statusHistory: [{ status: hostile, occurredAt: hostile, statusReasonCode: hostile }],
  pickup: { storeReference: hostile, businessName: hostile },
  dropoff: {
    address: { line1: hostile, city: hostile, state: hostile, postalCode: hostile },
    contactName: hostile,
    contactPhone: hostile,
    instructions: hostile,
    unit: { buildingNumber: hostile, room: hostile, unitDesignation: hostile, deliveryPoint: hostile },
    installation: { code: hostile, gate: hostile },
  },
  pricing: { currency: hostile, totalPriceCents: 1, deliveryFeeCents: 1 },
  driver: { name: hostile, phoneNumber: hostile, vehicleDescription: hostile },
  proofOfDelivery: [{ type: hostile, stage: hostile, url: hostile, capturedAt: hostile }],
  resolvedVerification: {
    dropoff: { [hostile]: { level: hostile } },
    derived: [{ mechanism: hostile, level: hostile, source: hostile }],
    suppressed: [{ mechanism: hostile, reason: hostile, substitutedBy: hostile }],
  },
  trackingUrl: `https://example.com/${hostile}`,
  createdAt: hostile,
  updatedAt: time,
  [hostile]: hostile,
}
const driver = {
  id: hostile,
  name: formula,
  status: hostile,
  vehicleDescription: hostile,
  phoneNumber: hostile,
  teams: [hostile],
}
const installation = {
  code: hostile,
  name: formula,
  branch: hostile,
  state: hostile,
  accessLevel: hostile,
  fpconLevel: hostile,
  imagingRestrictions: hostile,
  gates: [{ name: hostile, hours: hostile, timezone: hostile }],
  prohibitedCargo: [hostile],
  supportedDeliveryPoints: [hostile],
  permittedProofTypes: [hostile],
  policyUpdatedAt: hostile,
}
const event = {
  eventId: hostile,
  eventType: hostile,
  occurredAt: time,
  deliveryId: formula,
  lastDeliveryStatus: hostile,
  data: {},
}

/** What the service says to each request; anything else is refused in hostile words. */
const answers: Readonly<Record<string, unknown>> = {
  'GET /health': { status: 'healthy', checkedAt: hostile },
  'GET /capabilities': { accountType: hostile, capabilities: { [hostile]: hostile } },
  'GET /deliveries': { deliveries: [delivery] },
  // An answer about another delivery would be refused.
  'GET /deliveries/del_1': { ...delivery, deliveryId: 'del_1' },
  // Otherwise whoever creates it again waits for it to appear.
  [`GET /deliveries/${encodeURIComponent(hostile)}`]: delivery,
  'POST /deliveries': delivery,
  'POST /quotes': {
    quotes: [{ quoteId: hostile, totalPriceCents: 1, currency: hostile, carrierName: formula, pickupEta: hostile }],
  },
  'GET /drivers': { drivers: [driver] },
  'GET /drivers/drv_1': { ...driver, id: 'drv_1' },
  'GET /teams': { teams: [{ id: hostile, name: formula }] },
  'GET /installations': { installations: [installation] },
  'GET /installations/FT': { ...installation, code: 'FT' },
  'POST /serviceability': {
    serviceable: false,
    reasonCode: hostile,
    reason: hostile,
    retryAfter: hostile,
    recommendedGate: hostile,
  },
  'GET /events': { events: [event] },
}

const commands = [
  ['health'],
  ['capabilities'],
  ['deliveries', 'list'],
  ['deliveries', 'get', 'del_1'],
  ['deliveries', 'proof', 'del_1'],
  ['deliveries', 'open', 'del_1'],
  ['deliveries', 'create', '--file', 'examples/order.json', '--ref', formula],
  ['quotes', 'create', '--file', 'examples/order.json'],
  ['drivers', 'list'],
  ['drivers', 'get', 'drv_1'],
  ['teams', 'list'],
  ['installations', 'list'],
  ['installations', 'get', 'FT'],
  ['installations', 'check', 'FT'],
  ['events', 'list'],
  ['drivers', 'get', 'drv_refused'],
]

/** Steers a terminal or turns text around; line ends, and the tabs between values, are ours. */
const live = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/

describe('strings of the service that would act', () => {
  const cli = createCli(afterAll)
  let env: NodeJS.ProcessEnv = {}
  beforeAll(async () => {
    const fieldErrors = [
      { field: hostile, code: hostile, message: hostile },
      { field: 'x', code: 5, message: [] },
      null,
    ]
    const details = { [hostile]: hostile, fieldErrors }
    const error = { code: hostile, message: hostile, requestId: hostile, details }
    const server = await startJsonServer((path, response, method) => {
      const answer = answers[`${method} ${path.replace(/\?.*/, '')}`]
      if (answer === undefined) response.statusCode = 404
      return JSON.stringify(answer ?? { error })
    })
    env = { ...server.env, NO_COLOR: '1', CI: '1' }
    return () => server.close()
  })

  it.each(['table', 'csv', 'json'])('reach no pipe live as %s', async (format) => {
    for (const words of commands) {
      const { stdout, stderr, exitCode } = await cli.run([...words, '-o', format, '--verbose'], { env })
      const name = words.join(' ')
      expect(stdout + stderr, name).not.toMatch(live)
      expect(stdout + stderr, name).toContain('end')
      expect([0, 4, 5], stderr).toContain(exitCode)
    }
  })

  it('reach no terminal live', async () => {
    for (const words of commands) {
      const { stdout } = await cli.run(words, { env, columns: 80 })
      expect(stdout, words.join(' ')).not.toMatch(live)
    }
  })

  it('are the same strings to whoever reads the JSON', async () => {
    expect(await cli.json(['deliveries', 'get', 'del_1'], { env })).toMatchObject({ ...delivery, deliveryId: 'del_1' })
  })

  it('are no formulas in a spreadsheet, unless they are asked for as they came', async () => {
    const words = ['deliveries', 'list', '-o', 'csv', '--columns', 'clientOrderReference', '--no-header']
    expect((await cli.run(words, { env })).stdout).toBe(`"'=HYPERLINK(""http://evil.example.com"")"\n`)
    expect((await cli.run([...words, '--raw'], { env })).stdout).toBe(`"=HYPERLINK(""http://evil.example.com"")"\n`)
    words[3] = 'tsv'
    expect((await cli.run(words, { env })).stdout).toBe(`'=HYPERLINK("http://evil.example.com")\n`)
    expect((await cli.run([...words, '--raw'], { env })).stdout).toBe(`=HYPERLINK("http://evil.example.com")\n`)
  })
})

describe('a list without an end', () => {
  const cli = createCli(afterAll)

  const served = async () => {
    let pages = 0
    // Pages as fast as they are asked for would keep a processor busy until the end.
    const server = await startJsonServer((_, response) => {
      pages++
      const item = { ...delivery, deliveryId: `del_${pages}`, createdAt: time }
      const page = JSON.stringify({ deliveries: [item], nextCursor: `c${pages}`, checkedAt: time })
      setTimeout(() => response.end(page), 20)
      return undefined
    })
    onTestFinished(() => server.close())
    return server.env
  }

  it('ends with --timeout, with what was read until then', async () => {
    const { exitCode, stdout, stderr } = await cli.run(['deliveries', 'list', '--all', '-q', '--timeout', '1s'], {
      env: await served(),
    })
    expect(exitCode, stderr).toBe(8)
    expect(stderr).toContain('not done within the 1 s of --timeout')
    expect(stderr).toContain('Next: dlv doctor')
    expect(stdout).toMatch(/^del_\d+\n/)
  })

  it('ends with DLV_TIMEOUT where each page is a call of its own', async () => {
    const env = { ...(await served()), DLV_TIMEOUT: '1s' }
    const { exitCode, stdout, stderr } = await cli.run(['api', 'GET', '/deliveries', '--paginate'], { env })
    expect(exitCode, stderr).toBe(8)
    expect(stderr).toMatch(/within/)
    expect(stdout).toContain('del_1')
  })
})
