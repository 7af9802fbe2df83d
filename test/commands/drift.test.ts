import { readFileSync, writeFileSync } from 'node:fs'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { DriftResult } from '../../src/render/service-views.js'
import { createCli } from '../support/cli/program.js'
import { startHttpServer } from '../support/http-server.js'
import { serveSandbox } from '../support/sandbox/served-sandbox.js'

type Change = (
  answer: { status: number; headers: Record<string, string>; body: Record<string, unknown> },
  path: string,
) => void

/** A proxy in front of a sandbox that changes its answers. */
async function driftingProxy(target: string, change: Change): Promise<string> {
  const origin = await startHttpServer((incoming, outgoing) => {
    const url = new URL(incoming.url ?? '/', target)
    const headers = { ...incoming.headers, host: new URL(target).host, 'accept-encoding': 'identity' }
    const forwarded = httpRequest(
      url,
      { method: incoming.method ?? 'GET', headers },
      async (response: IncomingMessage) => {
        const bytes = Buffer.concat(await response.toArray())
        const answer = { status: response.statusCode ?? 500, headers: {}, body: JSON.parse(bytes.toString()) }
        change(answer, url.pathname)
        outgoing.writeHead(answer.status, {
          'content-type': 'application/json',
          'x-request-id': String(response.headers['x-request-id']),
          ...answer.headers,
        })
        outgoing.end(JSON.stringify(answer.body))
      },
    )
    incoming.pipe(forwarded)
  })
  return `${origin}/delivery/v1`
}

describe('dlv drift against a service', () => {
  const sandbox = serveSandbox()

  async function drift(change: Change, ...words: string[]) {
    const baseUrl = await driftingProxy(sandbox.running.baseUrl, change)
    const { stdout, exitCode, stderr } = await createCli().run(['drift', '-o', 'json', ...words], {
      env: { ...sandbox.env(), DLV_BASE_URL: baseUrl },
    })
    expect(stderr).not.toContain('error')
    return { result: JSON.parse(stdout) as DriftResult, exitCode }
  }

  it('finds nothing in the sandbox, over every operation of the contract', async () => {
    const { result, exitCode } = await drift(() => {})
    expect(result.findings).toEqual([])
    expect(exitCode).toBe(0)
    expect(result.checked).toBeGreaterThan(30)
    const { requests } = (await sandbox.running.steer('GET', '/requests')) as {
      requests: { method: string; path: string }[]
    }
    const asked = new Set(
      requests.map(
        ({ method, path }) =>
          `${method} ${path
            .replace('/delivery/v1', '')
            .replace(/\?.*/, '')
            .replaceAll(/(del|drv)_\w+/g, '{id}')
            .replace(/(installations\/)\w+/, '$1{code}')}`,
      ),
    )
    expect([...asked].sort()).toEqual([
      'GET /capabilities',
      'GET /deliveries',
      'GET /deliveries/{id}',
      'GET /drivers',
      'GET /drivers/{id}',
      'GET /events',
      'GET /health',
      'GET /installations',
      'GET /installations/{code}',
      'GET /teams',
      'PATCH /deliveries/{id}',
      'POST /deliveries',
      'POST /deliveries/{id}/cancel',
      'POST /deliveries/{id}/simulate',
      'POST /quotes',
      'POST /serviceability',
    ])
  })

  it('goes on past an id that no address can carry', async () => {
    const { result, exitCode } = await drift(({ body }, path) => {
      if (!path.endsWith('/deliveries') || !Array.isArray(body.deliveries)) return
      for (const delivery of body.deliveries) delivery.deliveryId = 'del_\ud800'
      body.surprise = true
    })
    expect(exitCode).toBe(9)
    expect(JSON.stringify(result)).toContain('surprise')
  })

  it('names a new property with its value and how often it was seen', async () => {
    const { result, exitCode } = await drift(({ body }, path) => {
      if (/\/deliveries\/del_\w+$/.test(path)) body.carbonGrams = 412
    })
    expect(exitCode).toBe(9)
    expect(result.findings).toContainEqual({
      kind: 'newProperty',
      operation: 'getDelivery',
      path: 'carbonGrams',
      example: 412,
      count: expect.any(Number),
    })
    expect(result.findings.every(({ count }) => count >= 1)).toBe(true)
  })

  it('names an unknown enum value, a missing field, a wrong type, an undocumented status and header', async () => {
    const { result } = await drift((answer, path) => {
      if (path.endsWith('/capabilities')) {
        answer.body.accountType = 'franchise'
        answer.headers['x-shard'] = '7'
      }
      if (path.endsWith('/health')) delete answer.body.status
      if (path.endsWith('/serviceability')) answer.body.serviceable = 'yes'
      if (path.endsWith('/teams')) answer.status = 206
    })
    const found = result.findings.map(({ kind, operation, path, example }) => [kind, operation, path, example])
    expect(found).toContainEqual(['unknownEnum', 'getCapabilities', 'accountType', 'franchise'])
    expect(found).toContainEqual(['undocumentedHeader', 'getCapabilities', 'x-shard', '7'])
    expect(found).toContainEqual([
      'missingRequired',
      'getHealth',
      'status',
      expect.objectContaining({ checkedAt: expect.any(String) }),
    ])
    expect(found).toContainEqual(['wrongType', 'checkServiceability', 'serviceable', 'yes'])
    expect(found).toContainEqual(['undocumentedStatus', 'listTeams', '206', expect.anything()])
    expect(found).toHaveLength(5)
  })

  it('accepts what a baseline holds and nothing else', async () => {
    const cli = createCli()
    const baseline = join(cli.home, 'drift.json')
    const adds =
      (...names: string[]): Change =>
      ({ body }, path) => {
        if (path.endsWith('/capabilities')) for (const name of names) body[name] = true
      }
    expect((await drift(adds('loyalty'), '--baseline', baseline, '--update-baseline')).exitCode).toBe(0)
    expect((await drift(adds('loyalty'), '--baseline', baseline)).result.findings).toEqual([])
    const junit = join(cli.home, 'drift.xml')
    const { result, exitCode } = await drift(adds('loyalty', 'robots'), '--baseline', baseline, '--junit', junit)
    expect(result.findings.map(({ path }) => path)).toEqual(['robots'])
    expect(exitCode).toBe(9)
    expect(readFileSync(junit, 'utf8')).toContain('failures="1"')
  })
})

describe('dlv drift of recorded traffic', () => {
  const event = {
    eventId: 'evt_1',
    eventType: 'delivery.delivered',
    occurredAt: '2026-03-02T15:00:00Z',
    delivery: { deliveryId: 'del_1', status: 'delivered', dropoff: { contactName: 'Dana Whitfield', floor: 3 } },
  }

  it('reads an archive: responses of the service by their path, webhooks by their headers', async () => {
    const cli = createCli()
    const har = join(cli.home, 'traffic.har')
    const entries = [
      {
        request: { method: 'GET', url: 'https://api.example/delivery/v1/deliveries/del_1?x=1', headers: [] },
        response: {
          status: 200,
          headers: [{ name: 'Server', value: 'nginx' }],
          content: { text: JSON.stringify({ ...event.delivery, status: 'teleported' }) },
        },
      },
      {
        request: {
          method: 'POST',
          url: 'https://shop.example/hooks',
          headers: [{ name: 'Webhook-Id', value: 'evt_1' }],
          postData: { text: JSON.stringify(event) },
        },
        response: { status: 204, headers: [] },
      },
      {
        request: { method: 'GET', url: 'https://shop.example/', headers: [] },
        response: { status: 200, headers: [], content: { text: '<html>' } },
      },
    ]
    writeFileSync(har, JSON.stringify({ log: { entries } }))
    const { stdout, exitCode } = await cli.run(['drift', '--har', har, '-o', 'json'])
    const { checked, findings } = JSON.parse(stdout) as DriftResult
    expect({ checked, exitCode }).toEqual({ checked: 2, exitCode: 9 })
    expect(findings.map(({ kind, operation, path }) => `${kind} ${operation} ${path}`).sort()).toEqual([
      'newProperty getDelivery dropoff.floor',
      'newProperty webhook delivery.dropoff.floor',
      'unknownEnum getDelivery status',
    ])
  })

  it('reads events a line from standard input, and masks people unless asked not to', async () => {
    const cli = createCli()
    const unfit = { ...event, delivery: { ...event.delivery, deliveryId: undefined } }
    const lines = [
      JSON.stringify({ type: 'event', event }),
      JSON.stringify(unfit),
      'not JSON',
      JSON.stringify({ type: 'ready' }),
    ].join('\n')
    const run = (...words: string[]) => cli.run(['drift', '--input', '-', '-o', 'json', ...words], { stdin: lines })
    const { stdout, stderr } = await run()
    expect(stdout).not.toContain('Dana')
    expect(stderr).toContain('2 lines of - are neither events nor responses')
    expect((JSON.parse(stdout) as DriftResult).findings).toContainEqual(
      expect.objectContaining({ kind: 'missingRequired', operation: 'webhook', path: 'delivery.deliveryId' }),
    )
    expect((await run('--unmask')).stdout).toContain('Dana Whitfield')
  })

  it.each([
    [['--har', 'package.json'], 'package.json is not an HTTP archive'],
    [['--input', 'none.ndjson'], 'none.ndjson'],
    [['--update-baseline'], '--baseline'],
    [['--baseline', 'package.json', '--input', 'examples/order.json'], 'package.json is not a baseline'],
  ])('refuses %j', async (words, message) => {
    const { exitCode, stderr } = await createCli().run(['drift', ...words])
    expect(exitCode).toBe(2)
    expect(stderr).toContain(message)
  })
})
