import { chmodSync, chownSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createCli, type RunOptions } from '../../support/cli/program.js'
import { startHttpServer } from '../../support/http-server.js'
import { serveSandbox } from '../../support/sandbox/served-sandbox.js'

interface Finding {
  check: string
  verdict: string
  finding: string
  hint: string | null
}

async function doctor(options: RunOptions) {
  const { exitCode, stdout, stderr } = await createCli().run(['doctor', '--json'], options)
  expect(stderr).toBe('')
  const findings = JSON.parse(stdout) as Finding[]
  const problems = findings.filter(({ verdict }) => verdict === 'problem')
  return { exitCode, findings, problems, checks: findings.map(({ check }) => check) }
}

describe('doctor', () => {
  const sandbox = serveSandbox()
  const everything = ['version', 'profile', 'profiles file', 'data directory', 'name', 'service', 'key', 'clock']

  it('checks everything if nothing is wrong', async () => {
    const { exitCode, checks, problems } = await doctor({ env: sandbox.env() })
    expect(problems).toEqual([])
    expect(checks).toEqual([...everything.toSpliced(-1, 0, 'environment'), 'webhook secrets'])
    expect(exitCode).toBe(0)
  })

  it('reports a service that does not answer once', async () => {
    const { exitCode, checks, problems } = await doctor({
      env: { DLV_BASE_URL: 'http://127.0.0.1:9/v1', DLV_API_KEY: 'key' },
    })
    expect(problems.map(({ check }) => check)).toEqual(['service'])
    expect(checks).not.toContain('key')
    expect(checks).not.toContain('clock')
    expect(exitCode).toBe(9)
  })

  it('says that the path of a base URL is wrong, and warns of a test key under the name of production', async () => {
    const { problems } = await doctor({
      env: { ...sandbox.env(), DLV_BASE_URL: sandbox.running.baseUrl.replace('/delivery', '') },
    })
    expect(problems).toMatchObject([
      {
        check: 'service',
        finding: expect.stringContaining('/v1/health is not found'),
        hint: expect.stringMatching(/\/delivery\/v1\.$/),
      },
    ])
    const { findings } = await doctor({ env: { ...sandbox.env(), DLV_ENVIRONMENT: 'production' } })
    expect(findings.find(({ check }) => check === 'environment')).toMatchObject({ verdict: 'warning' })
  })

  it('reports a name that does not resolve once', async () => {
    const { problems } = await doctor({
      env: { DLV_BASE_URL: 'https://no-such-host.invalid/v1', DLV_ENVIRONMENT: 'sandbox', DLV_API_KEY: 'key' },
    })
    expect(problems).toMatchObject([{ check: 'name', finding: expect.stringContaining('no-such-host.invalid') }])
  })

  it('reports a service without TLS once', async () => {
    const plain = createServer((socket) => void socket.on('error', () => {}).end('HTTP/1.1 400 Bad Request\r\n\r\n'))
    const secure = (await startHttpServer(plain)).replace('http:', 'https:')
    const { problems } = await doctor({ env: { DLV_BASE_URL: `${secure}/v1`, DLV_API_KEY: 'key' } })
    expect(problems.map(({ check }) => check)).toEqual(['TLS'])
  })

  it('reports a rejected key and still reads the clock', async () => {
    const { problems, checks } = await doctor({ env: sandbox.env('dlvk_sbx_revoked') })
    expect(problems.map(({ check }) => check)).toEqual(['key'])
    expect(checks).toContain('clock')
  })

  it('does not resolve names that a proxy resolves, and shows no password of the proxy', async () => {
    const { findings, problems } = await doctor({
      env: {
        DLV_BASE_URL: 'https://no-such-host.invalid/v1',
        DLV_ENVIRONMENT: 'sandbox',
        DLV_API_KEY: 'key',
        HTTPS_PROXY: 'http://user:hidden@127.0.0.1:9',
      },
    })
    expect(problems).toEqual([
      {
        check: 'proxy',
        verdict: 'problem',
        finding: 'The proxy 127.0.0.1:9 (HTTPS_PROXY) cannot be reached: nothing is listening there.',
        hint: 'Nothing was sent to no-such-host.invalid. Check HTTPS_PROXY and that the proxy is running.',
      },
    ])
    expect(JSON.stringify(findings)).not.toContain('hidden')
  })

  it.each([
    ['whose disk is full', 'ulimit -f 16;', undefined],
    ['that cannot be written', '', '/proc'],
  ])('checks everything with a data directory %s, embedded and remote', async (_, limit, given) => {
    const cli = createCli()
    const directory = given ?? join(cli.home, 'data')
    mkdirSync(directory, { recursive: true })
    // The limit of one file's size stands for the disk's.
    const script = `${limit} exec "$DLV_NODE" bin/run.js doctor -o json`
    const run = async (env: NodeJS.ProcessEnv) => {
      const { stdout, exitCode, stderr } = await cli.shell(script, {
        env: { ...env, DLV_DATA_DIR: directory, DLV_NODE: process.execPath },
      })
      expect([exitCode, stderr]).toEqual([9, expect.not.stringContaining('error:')])
      const findings = JSON.parse(stdout) as Finding[]
      const problems = findings.flatMap(({ check, verdict }) => (verdict === 'problem' ? [check] : []))
      const { finding } = findings.find(({ check }) => check === 'data directory') ?? {}
      expect(finding).toContain(`Cannot write to ${directory}: `)
      return { checks: findings.map(({ check }) => check), problems }
    }
    const remote = await run(sandbox.env())
    expect(remote.problems).toEqual(['data directory'])
    expect(remote.checks).toEqual(expect.arrayContaining([...everything, 'environment', 'webhook secrets']))
    const embedded = await run({})
    expect(embedded.problems).toEqual(['data directory', 'service'])
    expect(embedded.checks).toContain('webhook secrets')
  })

  it('finds that a data directory that is yet to be made has no space', async () => {
    const cli = createCli()
    const directory = join(cli.home, 'data')
    // The limit of one file's size stands for the disk's.
    const { stdout } = await cli.shell('ulimit -f 16; exec "$DLV_NODE" bin/run.js doctor -o json', {
      env: { ...sandbox.env(), DLV_DATA_DIR: directory, DLV_NODE: process.execPath },
    })
    expect(JSON.parse(stdout)).toContainEqual({
      check: 'data directory',
      verdict: 'problem',
      finding: `Cannot create ${directory}: the file would be too large (${cli.home}).`,
      hint: 'Free some space, or set DLV_DATA_DIR.',
    })
    expect(readdirSync(cli.home).filter((name) => name.startsWith('.doctor'))).toEqual([])
  })

  it.each<[string, string | null, (directory: string, secret: string) => void]>([
    ['that a group may write to', null, (directory) => chmodSync(directory, 0o770)],
    ['that anyone can write to', 'Anyone can write to', (directory) => chmodSync(directory, 0o1777)],
    ['with a secret that others read', 'can be read or written by others', (_, file) => chmodSync(file, 0o644)],
    ...(process.getuid?.() === 0
      ? ([
          ['of another user', 'belongs to another user.', (directory) => chownSync(directory, 65_534, 65_534)],
          ['with a secret of another user', 'secret belongs to another user', (_, file) => chownSync(file, 65_534, 0)],
        ] as const satisfies [string, string, (directory: string, file: string) => void][])
      : []),
  ])('judges a data directory %s', async (_, said, change) => {
    const directory = join(createCli().home, 'data')
    const secret = join(directory, 'sandbox.secret')
    mkdirSync(directory)
    writeFileSync(secret, 's'.repeat(43), { mode: 0o600 })
    change(directory, secret)
    const { exitCode, findings } = await doctor({ env: { ...sandbox.env(), DLV_DATA_DIR: directory } })
    const { verdict, finding } = findings.find(({ check }) => check === 'data directory') ?? {}
    expect({ exitCode, verdict }).toEqual({ exitCode: 0, verdict: said === null ? 'ok' : 'warning' })
    expect(finding).toContain(said ?? directory)
  })

  it('tries whether a directory that is not there can be made', async () => {
    const cli = createCli()
    const judged = async (place: string) => {
      const env = { ...sandbox.env(), DLV_DATA_DIR: place, DLV_CONFIG_DIR: place }
      const { stdout, exitCode } = await cli.run(['doctor', '--json'], { env })
      const of = (name: string) => (JSON.parse(stdout) as Finding[]).find(({ check }) => check === name)
      return [exitCode, of('data directory'), of('profiles file')]
    }
    for (const place of ['/proc/none', '/proc/none/below'])
      expect(await judged(place)).toMatchObject([
        9,
        { verdict: 'problem', finding: expect.stringContaining(`Cannot create ${place}: `) },
        { verdict: 'warning', finding: expect.stringContaining(`Cannot create ${place}`) },
      ])
    expect(await judged(join(cli.home, 'new', 'place'))).toMatchObject([0, { verdict: 'ok' }, { verdict: 'ok' }])
    expect(readdirSync(cli.home).filter((name) => name === 'new' || name.startsWith('.doctor'))).toEqual([])
  })

  it('judges the clock by several answers, of which one may have been stored on its way', async () => {
    const stored = new Date(Date.now() - 3_600_000).toUTCString()
    const now = () => new Date().toUTCString()
    const proxied = async (dateOf: (path: string) => string) => {
      const origin = await startHttpServer(async (request, response) => {
        const { body, status } = await passOn(request, sandbox.running.baseUrl)
        response.sendDate = false
        response.writeHead(status, { 'content-type': 'application/json', date: dateOf(request.url ?? '') })
        response.end(body)
      })
      const { findings } = await doctor({ env: { ...sandbox.env(), DLV_BASE_URL: `${origin}/delivery/v1` } })
      return findings.find(({ check }) => check === 'clock')
    }
    expect(await proxied((path) => (path.endsWith('/health') ? stored : now()))).toMatchObject({ verdict: 'ok' })
    expect(await proxied((path) => (path.endsWith('/capabilities') ? stored : now()))).toMatchObject({ verdict: 'ok' })
    expect(await proxied(() => stored)).toMatchObject({
      verdict: 'warning',
      finding: expect.stringMatching(
        /^agrees with the service's checkedAt; the Date of its answers is (?:1h|59m \d+s) behind$/,
      ),
    })
    expect((await proxied((path) => (path.endsWith('/health') ? stored : now())))?.finding).toMatch(
      /^agrees .*by the Date/,
    )
  })

  it('names the clock of a sandbox that was moved, which times go by, beside the Date of its answers', async () => {
    const clocks = async () => {
      const { findings } = await doctor({ env: sandbox.env() })
      return findings.filter(({ check }) => ['clock', 'service time'].includes(check)).map(({ finding }) => finding)
    }
    expect(await clocks()).toEqual(['agrees with the service, by the Date of its answers'])
    await sandbox.running.steer('POST', '/clock', { advance: '10d' })
    expect(await clocks()).toEqual([
      'agrees with the service, by the Date of its answers',
      expect.stringMatching(/^checkedAt is (?:10d|9d 23h) ahead of Date; times such as 1h go by it$/),
    ])
  })
})

/** Asks the service what a request asks, and gives its answer. */
async function passOn(request: IncomingMessage, baseUrl: string): Promise<{ status: number; body: string }> {
  const body = Buffer.concat(await request.toArray())
  const answer = await fetch(new URL(request.url ?? '', baseUrl), {
    method: request.method ?? 'GET',
    headers: { authorization: request.headers.authorization ?? '', 'content-type': 'application/json' },
    ...(body.length === 0 ? {} : { body }),
  })
  return { status: answer.status, body: await answer.text() }
}
