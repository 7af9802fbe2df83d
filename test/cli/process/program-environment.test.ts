import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { programEnvironment } from '../../../src/cli/process/program-environment.js'
import { systemKeychain } from '../../../src/profiles/index.js'
import { createCli } from '../../support/cli/program.js'

const canary = 'canary-of-a-password'
const secret = `whsec_${Buffer.from('canary-of-the-webhook-secret').toString('base64')}`
const addresses = {
  DLV_JOURNAL: [`postgres://dlv:${canary}@db.example.com/dlv`, 'postgres://dlv@db.example.com/dlv'],
  HTTPS_PROXY: [`http://ann:${canary}@proxy.example.com:3128`, 'http://ann@proxy.example.com:3128'],
  https_proxy: [`http://ann:a@b:${canary}@proxy.example.com:3128`, 'http://ann@proxy.example.com:3128'],
  http_proxy: [`ann:${canary}@proxy.example.com:3128`, 'ann@proxy.example.com:3128'],
  ALL_PROXY: [`socks5://:${canary}@proxy.example.com`, 'socks5://proxy.example.com'],
} as const
const env = {
  DLV_API_KEY: canary,
  dlv_webhook_secret: canary,
  DLV_SANDBOX_SECRET: canary,
  PGPASSWORD: canary,
  PGPASSFILE: '/home/ann/.pgpass',
  PATH: process.env.PATH,
  ...Object.fromEntries(Object.entries(addresses).map(([name, [given]]) => [name, given])),
}

it('A program gets no password; addresses stay, without theirs', () => {
  const bare = Object.fromEntries(Object.entries(addresses).map(([name, [, passed]]) => [name, passed]))
  const rest = { PATH: process.env.PATH, PGPASSFILE: '/home/ann/.pgpass', ...bare }
  expect(programEnvironment(env)).toEqual(rest)
  const keys = { DLV_API_KEY: canary, dlv_webhook_secret: canary, DLV_SANDBOX_SECRET: canary }
  expect(programEnvironment(env, true)).toEqual({ ...rest, ...keys })
})

it.each([
  [
    'postgres://db.example.com/dlv?user=dlv&password=canary&sslmode=require',
    'postgres://db.example.com/dlv?user=dlv&sslmode=require',
  ],
  ["host=db.example.com password='can ary' user=dlv", 'host=db.example.com user=dlv'],
  ['/var/lib/dlv/journal@home.db', '/var/lib/dlv/journal@home.db'],
  ['journal.db', 'journal.db'],
])('A journal %s is passed as %s', (given, passed) => {
  expect(programEnvironment({ DLV_JOURNAL: given })).toEqual({ DLV_JOURNAL: passed })
})

it('Neither --exec nor a keychain is told them', async () => {
  const cli = createCli()
  const programs = join(cli.home, 'programs')
  mkdirSync(programs)
  const told = join(cli.home, 'told')
  writeFileSync(join(programs, 'secret-tool'), `#!/bin/sh\nenv > '${told}'\n`)
  chmodSync(join(programs, 'secret-tool'), 0o755)
  const PATH = `${programs}:${process.env.PATH}`
  await systemKeychain('linux', { ...env, PATH, DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere' }).find('acme')
  expect(readFileSync(told, 'utf8')).toContain('DBUS_SESSION_BUS_ADDRESS')
  expect(readFileSync(told, 'utf8')).not.toContain('canary')
  const listening = ['webhooks', 'listen', '--port', '0', '--expect', 'failed', '--within', '20s', '--quiet']
  await cli.runProcess([...listening, '--journal', join(cli.home, 'journal.db'), '--exec', `env > '${told}'; exit 3`], {
    env: { PGPASSWORD: canary, HTTPS_PROXY: addresses.HTTPS_PROXY[0], DLV_WEBHOOK_SECRET: secret },
  })
  expect(readFileSync(told, 'utf8')).toContain('HTTPS_PROXY=http://ann@proxy.example.com:3128')
  expect(readFileSync(told, 'utf8')).not.toContain(canary)
})
