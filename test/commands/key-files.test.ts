import { execFileSync } from 'node:child_process'
import { truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { createCli } from '../support/cli/program.js'
import { vectorSecret } from '../support/webhooks/verdict-vectors.js'

const cli = createCli(afterAll)
const path = (name: string) => join(cli.home, name)
const large = path('large.txt')
writeFileSync(large, '', { mode: 0o600 })
truncateSync(large, 3_000_000_000)
const body = path('body.json')
writeFileSync(body, '{}')
const profile = ['profiles', 'add', 'acme', '-e', 'sandbox', '--base-url', 'http://127.0.0.1:9/']
const listen = ['webhooks', 'listen', '--port', '0', '--within', '1s', '--expect', 'failed']
const withSecret = { env: { DLV_WEBHOOK_SECRET: vectorSecret } }

describe('A file with a key, a secret or a certificate', () => {
  it.each([
    ['--secret-file', ['webhooks', 'sign', '--id', 'evt_1', '--file', body, '--secret-file', large], '64 kB'],
    ['--api-key-file', [...profile, '--api-key-file', large], '64 kB'],
    ['--webhook-secret-file', [...profile, '--no-api-key', '--webhook-secret-file', large], '64 kB'],
    ['--tls-cert', [...listen, '--tls-cert', large, '--tls-key', large], '64 kB'],
    ['PGPASSFILE', [...listen, '--journal', 'postgres://dlv@127.0.0.1:9/dlv'], '1024 kB'],
    ['--secret-file', ['webhooks', 'sign', '--id', 'evt_1', '--file', body, '--secret-file', '/dev/zero'], '64 kB'],
    ['--secret-file', ['webhooks', 'sign', '--id', 'evt_1', '--file', body, '--secret-file', cli.home], 'directory'],
  ])('of %s is refused if it does not end: %j', async (flag, words, why) => {
    const env = words.includes('--secret-file') ? {} : { ...withSecret.env, PGPASSFILE: large }
    const { exitCode, stderr } = await cli.run(words, { env })
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(why)])
    expect(stderr).toContain(flag)
  })

  it('PGPASSFILE is a regular file: a pipe that nobody writes does not hold up the program', async () => {
    const fifo = path('fifo')
    execFileSync('mkfifo', [fifo])
    const words = [...listen, '--journal', 'postgres://dlv@127.0.0.1:9/dlv']
    const { exitCode, stderr } = await cli.run(words, { env: { ...withSecret.env, PGPASSFILE: fifo } })
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('not a regular file')])
  })

  it('is read through a pipe of the shell', async () => {
    const line = `dlv webhooks sign --id evt_1 --file ${body} --secret-file <(echo ${vectorSecret})`
    expect((await cli.shell(line)).exitCode).toBe(0)
  })
})
