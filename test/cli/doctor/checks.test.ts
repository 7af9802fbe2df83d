import { chmodSync, mkdirSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createCli, type RunOptions } from '../../support/cli/program.js'
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

  it('reports a name that does not resolve once', async () => {
    const { problems } = await doctor({
      env: { DLV_BASE_URL: 'https://no-such-host.invalid/v1', DLV_ENVIRONMENT: 'sandbox', DLV_API_KEY: 'key' },
    })
    expect(problems).toMatchObject([{ check: 'name', finding: expect.stringContaining('no-such-host.invalid') }])
  })

  it('reports a service without TLS once', async () => {
    const plain = createServer((socket) => void socket.on('error', () => {}).end('HTTP/1.1 400 Bad Request\r\n\r\n'))
    await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void plain.close())
    const { port } = plain.address() as AddressInfo
    const { problems } = await doctor({ env: { DLV_BASE_URL: `https://127.0.0.1:${port}/v1`, DLV_API_KEY: 'key' } })
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
    expect(findings).toContainEqual({
      check: 'proxy',
      verdict: 'ok',
      finding: 'requests go through 127.0.0.1:9',
      hint: null,
    })
    expect(problems.map(({ check }) => check)).toEqual(['service'])
    expect(JSON.stringify(findings)).not.toContain('hidden')
  })

  it.skipIf(process.getuid?.() === 0)('names a data directory that it cannot write to', async () => {
    const cli = createCli()
    const directory = join(cli.home, 'data')
    mkdirSync(directory)
    chmodSync(directory, 0o500)
    const { problems } = await doctor({ env: { ...sandbox.env(), DLV_DATA_DIR: directory } })
    expect(problems).toMatchObject([{ check: 'data directory', finding: `Cannot write to ${directory}.` }])
  })
})
