import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { errorCodes, errorStatuses, type KnownErrorCode } from '../../src/contract/index.js'
import { deliveryStatuses, statusReasonCodes } from '../../src/contract/status-words.js'
import { createCli, type Ended, fewAtATime } from '../support/cli/program.js'
import { faults, type ScriptedServer, startScriptedServer } from '../support/client/scripted-server.js'
import { reply } from '../support/client/scripted-service.js'
import { serveSandbox } from '../support/sandbox/served-sandbox.js'

/** The exit code of each status. */
const exitCodeOf = { 400: 2, 401: 3, 403: 3, 404: 4, 409: 5, 422: 6, 429: 7, 500: 8, 503: 8 }

/** How a person comes to an error. */
interface Way {
  code: KnownErrorCode
  status: keyof typeof exitCodeOf
  words: string[]
  apiKey?: string
  /** An operation of the sandbox that is made to fail, and how. */
  fault?: [operation: string, force: string]
}

const order = ['deliveries', 'create', '--file', 'examples/order.json']
const create = (...words: string[]) => [...order, ...words]
/** An order whose reference asks the sandbox for an error. */
const forced = (code: KnownErrorCode, ...words: string[]) => create('--ref', `sbx-${code}-1`, ...words)
/** Less than the service asks to wait, and more than all repetitions take where it asks nothing. */
const patiently = ['--timeout', '30s']

const ways: Way[] = [
  { code: 'VALIDATION_ERROR', status: 400, words: create('--set', 'tipAmountCents="five"') },
  { code: 'VALIDATION_ERROR', status: 422, words: create('--quote', 'qot_never') },
  { code: 'INVALID_ADDRESS', status: 422, words: create('--to', '1 Main St, Fayetteville, NC 99951') },
  { code: 'INVALID_PHONE_NUMBER', status: 400, words: forced('INVALID_PHONE_NUMBER') },
  { code: 'INVALID_TIME_CONSTRAINT', status: 422, words: create('--window', '2020-01-01T10:00Z/2020-01-01T12:00Z') },
  { code: 'INVALID_STORE_REFERENCE', status: 422, words: create('--store', 'STORE-UNKNOWN') },
  { code: 'INVALID_TEAM_REFERENCE', status: 422, words: forced('INVALID_TEAM_REFERENCE') },
  { code: 'UNSUPPORTED_REQUIREMENT', status: 422, words: create('--set', 'package.contains=["sandbox_unsupported"]') },
  { code: 'UNSUPPORTED_DESTINATION', status: 422, words: forced('UNSUPPORTED_DESTINATION') },
  { code: 'INSTALLATION_NOT_SERVED', status: 422, words: forced('INSTALLATION_NOT_SERVED') },
  {
    code: 'INSTALLATION_NOT_ACCEPTING_DELIVERIES',
    status: 422,
    words: ['installations', 'get', 'ERR_INSTALLATION_NOT_ACCEPTING_DELIVERIES'],
  },
  { code: 'PROHIBITED_CARGO_FOR_DESTINATION', status: 422, words: forced('PROHIBITED_CARGO_FOR_DESTINATION') },
  { code: 'NO_ELIGIBLE_PROVIDERS', status: 422, words: create('--store', 'STORE-NOPROVIDER') },
  { code: 'NO_CREDENTIALED_DRIVER_AVAILABLE', status: 422, words: forced('NO_CREDENTIALED_DRIVER_AVAILABLE') },
  {
    code: 'QUOTES_NOT_SUPPORTED',
    status: 403,
    words: ['quotes', 'create', '--file', 'examples/order.json'],
    apiKey: 'dlvk_sbx_noquotes',
  },
  { code: 'QUOTE_EXPIRED', status: 409, words: create('--quote', 'qot_expired') },
  { code: 'DUPLICATE_ORDER', status: 409, words: forced('DUPLICATE_ORDER') },
  {
    code: 'IDEMPOTENCY_KEY_REUSED',
    status: 409,
    words: create('--idempotency-key', 'idem-reused-1', '--ref', 'REUSED-1'),
  },
  {
    code: 'IDEMPOTENCY_CONFLICT',
    status: 409,
    words: ['deliveries', 'cancel', 'del_1', ...patiently],
    fault: ['cancelDelivery', 'IDEMPOTENCY_CONFLICT'],
  },
  { code: 'DELIVERY_NOT_FOUND', status: 404, words: ['deliveries', 'get', 'del_missing'] },
  { code: 'DRIVER_NOT_FOUND', status: 404, words: ['drivers', 'get', 'drv_missing'] },
  { code: 'INSTALLATION_NOT_FOUND', status: 404, words: ['installations', 'get', 'ZZMISSING'] },
  {
    code: 'INVALID_STATE_TRANSITION',
    status: 409,
    words: ['deliveries', 'update', 'del_err_INVALID_STATE_TRANSITION', '--instructions', 'Ring twice'],
  },
  {
    code: 'SANDBOX_ONLY',
    status: 403,
    words: ['simulate', 'del_1', '--to', 'delivered'],
    fault: ['simulateDelivery', 'SANDBOX_ONLY'],
  },
  { code: 'UNAUTHORIZED', status: 401, words: ['capabilities'], apiKey: 'dlvk_sbx_revoked' },
  {
    code: 'RATE_LIMIT_EXCEEDED',
    status: 429,
    words: ['events', 'list', ...patiently],
    fault: ['listEvents', 'RATE_LIMIT_EXCEEDED; retry_after=60'],
  },
  {
    code: 'SERVICE_UNAVAILABLE',
    status: 503,
    words: ['drivers', 'list', ...patiently],
    fault: ['listDrivers', 'SERVICE_UNAVAILABLE; retry_after=60'],
  },
  {
    code: 'INTERNAL_ERROR',
    status: 500,
    words: ['teams', 'list', ...patiently],
    fault: ['listTeams', 'INTERNAL_ERROR'],
  },
]

describe('every error code of the contract', () => {
  const sandbox = serveSandbox()
  const cli = createCli(afterAll)
  /** A key that is answered SANDBOX_ONLY is known as a production key from then on, wherever that is remembered. */
  const ownHome = (name: string) => (name.startsWith('SANDBOX_ONLY') ? createCli(afterAll) : cli)
  const named = ways.map((way) => ({
    ...way,
    name: `${way.code} with ${way.status}`,
    exitCode: exitCodeOf[way.status],
  }))
  const ended = new Map<string, { asJson: Ended; asText: Ended }>()

  beforeAll(async () => {
    const rules = ways.flatMap(({ fault }) => (fault === undefined ? [] : [{ operation: fault[0], force: fault[1] }]))
    const steering = { env: sandbox.env(), stdin: JSON.stringify({ rules }) }
    await cli.json(['sandbox', 'faults', '--file', '-'], steering)
    // Those that are tried again wait most of their time: they go first, beside the others.
    const slowFirst = [...named].sort((a, b) => Number(b.fault !== undefined) - Number(a.fault !== undefined))
    await fewAtATime(slowFirst, async ({ name, words, apiKey }) => {
      const env = sandbox.env(apiKey)
      const [asJson, asText] = await Promise.all([
        ownHome(name).run([...words, '--json'], { env }),
        ownHome(name).run(words, { env: { ...env, DLV_OUTPUT: 'table' } }),
      ])
      ended.set(name, { asJson, asText })
    })
  })
  const endOf = (name: string) => {
    const both = ended.get(name)
    if (both === undefined) throw new Error(`${name} was not tried`)
    return both
  }

  it('is among those that are provoked here', () => {
    expect([...new Set(ways.map(({ code }) => code))].sort()).toEqual([...errorCodes].sort())
  })

  it.each(named)('$name ends with $exitCode, and as one JSON object on stderr', ({ name, code, status, exitCode }) => {
    const { asJson } = endOf(name)
    expect(asJson.stdout).toBe('')
    const { error, ...more } = JSON.parse(asJson.stderr)
    expect(more).toEqual({})
    expect(Object.keys(error)).toEqual([
      'code',
      'message',
      'status',
      'requestId',
      'fieldErrors',
      'details',
      'hint',
      'exitCode',
    ])
    expect(error).toMatchObject({ code, status, exitCode })
    expect(error.requestId).toMatch(/^req_/)
    expect(error.hint).toBeTruthy()
    expect(asJson.exitCode).toBe(exitCode)
  })

  it.each(named)('$name is told to a person with its code, request id and a next step', ({ name, code, exitCode }) => {
    const { asText } = endOf(name)
    expect(asText.exitCode).toBe(exitCode)
    expect(asText.stdout).toBe('')
    expect(asText.stderr).toMatch(/^error: \S/m)
    expect(asText.stderr).toContain(`(${code}, HTTP `)
    expect(asText.stderr).toMatch(/^ {2}request id: req_\w+$/m)
    expect(asText.stderr).toMatch(/^hint: .*(?:\bdlv [a-z]|\b[Ww]ait )/ms)
    expect(asText.stderr).not.toMatch(/\n\s+at /)
    expect(asText.stderr).not.toMatch(/<\w+>/)
  })
})

describe('An answer without the body of the contract', () => {
  async function customer() {
    const server: ScriptedServer = await startScriptedServer()
    onTestFinished(() => server.close())
    const cli = createCli(onTestFinished)
    const added = await cli.run(
      ['profiles', 'add', 'acme', '-e', 'sandbox', '--base-url', server.baseUrl, '--api-key-stdin', '--no-keychain'],
      { stdin: 'key' },
    )
    expect(added.exitCode, added.stderr).toBe(0)
    server.requests.length = 0
    return {
      server,
      run: (words: string[], stdin?: string) => cli.run([...words, '-P', 'acme'], { stdin: stdin ?? '' }),
    }
  }
  const page = (status: number) => ({
    status,
    headers: { 'content-type': 'text/html', ...(status === 429 && { 'retry-after': '3600' }) },
    body: '<h1>Sign in to the network</h1>',
  })

  it.each([
    [401, 3, 'the service says why it'],
    [403, 3, 'the service says why it'],
    [404, 4, 'check that the base URL'],
    [429, 7, 'Something in front of the service probably limits requests'],
  ])('of HTTP %i ends with %i and says that something in front of the service gave it', async (status, code, said) => {
    const { server, run } = await customer()
    const [serve, refuse] = [faults.serve(), faults.answer(page(status))]
    server.always = (turn) => (turn.request.path.endsWith('/health') ? serve(turn) : refuse(turn))
    for (const words of [['list'], ['get', 'del_1'], ['create', '--file', 'examples/order.json']]) {
      const ended = await run(['deliveries', ...words])
      expect(ended.exitCode, ended.stderr).toBe(code)
      expect(ended.stderr.replace(/\s+/g, ' ')).toContain(said)
      expect(ended.stderr).toContain(`HTTP ${status} that is not an answer of the service`)
    }
    const rows = await run(['deliveries', 'create', '--file', '-'], `[${readFileSync('examples/order.json', 'utf8')}]`)
    expect(rows.exitCode, rows.stderr).toBe(code === 4 ? 8 : code)
  })

  const fronts = [
    ['nginx', '<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body><hr></body></html>', '502 Bad Gateway'],
    ['HAProxy', '<html><body><h1>502 Bad Gateway</h1>\nThe server had no answer.\n</body></html>\n', 'no answer.'],
    ['Envoy', 'upstream connect error or disconnect/reset before headers', 'upstream connect error'],
    [
      'CloudFront',
      '<!DOCTYPE HTML>\n<HTML><HEAD><TITLE>ERROR: The request failed</TITLE></HEAD></HTML>',
      'The request failed',
    ],
    ['a title of nothing', '<html><title> </title><p>Be right back</p></html>', 'Be right back'],
  ] as const

  // Each is asked again until its time is over: they wait together.
  it('of proxies and networks is told by its words, without tags', async () => {
    const told = await Promise.all(
      fronts.map(async ([_name, body]) => {
        const { server, run } = await customer()
        server.always = faults.answer({ status: 502, headers: { 'content-type': 'text/html' }, body })
        return run(['deliveries', 'get', 'del_1', '--timeout', '2s'])
      }),
    )
    for (const [at, [name, _body, words]] of fronts.entries()) {
      expect(told[at]?.stderr, name).toContain(words)
      expect(told[at]?.stderr, name).not.toMatch(/<\/?[a-z!]/i)
    }
  })

  it('but of another type is not taken for an empty list, nor asked for again', async () => {
    const { server, run } = await customer()
    const wrong: [unknown, string[]][] = [
      [[], ['deliveries', 'list']],
      ['ok', ['deliveries', 'list']],
      [{ deliveries: 'none', nextCursor: null }, ['deliveries', 'list']],
      [{ errors: [] }, ['drivers', 'list']],
      [{ deliveryId: 5 }, ['deliveries', 'get', 'del_1']],
      [[], ['installations', 'list']],
    ]
    for (const [body, words] of wrong) {
      server.requests.length = 0
      server.always = faults.answer(reply(200, body))
      const ended = await run(words)
      expect([ended.exitCode, ended.stdout], ended.stderr).toEqual([8, ''])
      const asked = server.requests.filter(({ path }) => !path.endsWith('/health'))
      expect(asked, words.join(' ')).toHaveLength(1)
    }
    server.always = faults.answer(reply(200, []))
    expect((await run(['deliveries', 'list', '--ref', 'NONE'])).exitCode).toBe(0)
  })
})

describe('What an error or a delivery of a production account recommends', () => {
  /** A person with a production profile, and what its service answers to everything. */
  async function operator() {
    const server: ScriptedServer = await startScriptedServer()
    onTestFinished(() => server.close())
    const cli = createCli(onTestFinished)
    const add = ['profiles', 'add', 'live', '-e', 'production', '--base-url', server.baseUrl, '--api-key-stdin']
    server.always = faults.answer(reply(200, { accountType: 'marketplace', capabilities: {} }))
    const added = await cli.run([...add, '--no-keychain'], { stdin: 'key' })
    expect(added.exitCode, added.stderr).toBe(0)
    return {
      answer: (status: number, body: object) => {
        server.always = faults.answer(reply(status, body))
      },
      hintOf: async (words: string[]) =>
        JSON.parse((await cli.run([...words, '-P', 'live', '--timeout', '300ms', '--json'])).stderr).error
          .hint as string,
      explain: (word: string) => cli.json<{ next: string[]; code: string }>(['explain', word, '-P', 'live']),
    }
  }

  it('names no placeholder and no command of the sandbox, whatever the code, and the id that is known', async () => {
    const { answer, hintOf } = await operator()
    const commands = [
      ['deliveries', 'get', 'del_1'],
      ['deliveries', 'list'],
      ['deliveries', 'cancel', 'del_1', '--yes'],
      ['deliveries', 'create', '--file', 'examples/order.json', '--yes'],
      ['quotes', 'create', '--file', 'examples/order.json'],
      ['installations', 'get', 'FTX'],
    ]
    const hints: string[] = []
    for (const code of errorCodes)
      for (const status of [errorStatuses[code]].flat()) {
        answer(status, { error: { code, message: 'No.' }, requestId: 'req_1' })
        const named = commands.map(async (words) => `${code}, ${words.join(' ')}: ${await hintOf(words)}`)
        hints.push(...(await Promise.all(named)))
      }
    expect(hints.filter((hint) => /<\w+>|dlv (?:sandbox|simulate)|: null/.test(hint))).toEqual([])
    expect(hints).toContainEqual(
      expect.stringMatching(/^INVALID_STATE_TRANSITION, deliveries cancel .*Next: dlv deliveries get del_1 -P live$/),
    )
  })

  it('is about that delivery, and about an installation only if it has one', async () => {
    const { answer, explain } = await operator()
    const delivery = {
      deliveryId: 'del_1',
      clientOrderReference: null,
      createdAt: '2026-03-02T15:00:00Z',
      statusHistory: [],
    }
    const wrong: string[] = []
    for (const status of deliveryStatuses)
      for (const statusReasonCode of status === 'failed' ? [null, ...statusReasonCodes] : [null]) {
        answer(200, { ...delivery, status, statusReasonCode })
        for (const { code, next } of [await explain('del_1')].flat())
          if (next.length === 0 || next.some((one) => /<|order\.json|…$|installations|simulate/.test(one)))
            wrong.push(`${code}: ${next.join(' | ')}`)
      }
    expect(wrong).toEqual([])
    answer(200, {
      ...delivery,
      status: 'failed',
      statusReasonCode: 'denied_at_gate',
      dropoff: { installation: { code: 'FTX' } },
    })
    expect([await explain('del_1')].flat()[1]?.next).toEqual([
      'dlv installations check FTX -P live',
      'dlv installations get FTX -P live',
    ])
    expect((await explain('INVALID_STATE_TRANSITION')).next.join()).not.toContain('simulate')
  })
})
