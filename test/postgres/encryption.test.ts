import { chmodSync, chownSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { createSecureContext, TLSSocket } from 'node:tls'
import { describe, expect, it, onTestFinished } from 'vitest'
import { connectPostgres, databaseError, parsePostgresAddress } from '../../src/postgres/index.js'
import { testCertificate } from '../support/certificate.js'
import { clusterFolder, databasePassword } from '../support/postgres/cluster.js'
import { describeOnServers, startTestServer } from '../support/postgres/database.js'
import { createTempDir } from '../support/temp-dir.js'

/** An address of this machine that is not its loopback one, so that it counts as another machine. */
const remote = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address
const describeRemotely = remote === undefined ? describe.skip : describe

const password = 'not-for-the-wire-31'
const pair = testCertificate([remote ?? 'localhost'])
const otherPair = testCertificate(['db.example.com'])

/** A file with a certificate authority. */
function rootFile(cert: string): string {
  const file = join(createTempDir(), 'root.crt')
  writeFileSync(file, cert)
  return file
}

/** Speaks the first messages of PostgreSQL: TLS or none, then requests for the password; keeps all that it is sent. */
async function startScriptedServer(tls: typeof pair | undefined, requests: readonly Buffer[], host = remote) {
  const heard: Buffer[] = []
  const serve = (socket: Socket) => {
    let asked = 0
    socket.on('error', () => {})
    socket.on('data', (bytes) => {
      heard.push(bytes)
      const next = requests[asked++]
      if (next === undefined) socket.end()
      else socket.write(next)
    })
  }
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', (first) => {
      // An SSLRequest has this code; what comes without is the startup message.
      if (first.length !== 8 || first.readInt32BE(4) !== 80_877_103) {
        serve(socket)
        socket.emit('data', first)
        return
      }
      socket.write(tls === undefined ? 'N' : 'S')
      if (tls === undefined) return serve(socket)
      serve(new TLSSocket(socket, { isServer: true, secureContext: createSecureContext(tls) }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  onTestFinished(() => void server.close())
  return {
    address: (query: string) => `postgres://app@${host}:${(server.address() as AddressInfo).port}/x${query}`,
    heard: () => Buffer.concat(heard).toString('latin1'),
  }
}

/** A message of the server that asks for authentication. */
function authentication(kind: number, rest = Buffer.alloc(0)): Buffer {
  const message = Buffer.alloc(9)
  message.write('R')
  message.writeInt32BE(8 + rest.length, 1)
  message.writeInt32BE(kind, 5)
  return Buffer.concat([message, rest])
}
const clearText = authentication(3)
const md5 = authentication(5, Buffer.from('salt'))
const scram = authentication(10, Buffer.from('SCRAM-SHA-256\0\0'))

async function outcomeOf(address: string, env: NodeJS.ProcessEnv): Promise<{ message: string; hint?: string }> {
  try {
    const connection = await connectPostgres(parsePostgresAddress(address, env))
    connection.destroy()
    return { message: 'connected' }
  } catch (error) {
    const { message, hint } = databaseError(error, 'The journal')
    return { message, ...(hint === undefined ? {} : { hint }) }
  }
}

describeRemotely('a database on another machine', () => {
  const env = { PGPASSWORD: password, HOME: '/nonexistent' }

  it.each([
    ['without TLS', undefined, '', 'offers no TLS', 'sslmode=disable'],
    ['without TLS, under sslmode=require', undefined, '?sslmode=require', 'offers no TLS', 'sslmode=disable'],
    ['with a certificate that nobody vouches for', pair, '', 'cannot be verified', 'sslrootcert=FILE'],
  ])('%s gets not even the name of the user', async (_, tls, query, why, remedy) => {
    const server = await startScriptedServer(tls, [clearText])
    const { message, hint } = await outcomeOf(server.address(query), env)
    expect(message).toContain(why)
    expect(hint).toContain(remedy)
    expect(server.heard()).not.toContain('app')
  })

  it.each([
    ['in clear text without TLS', undefined, '?sslmode=disable', [clearText]],
    ['as MD5 without TLS', undefined, '?sslmode=prefer', [md5]],
    ['in clear text over TLS that is not verified', pair, '?sslmode=require', [clearText]],
    ['in clear text after it has begun to ask by SASL', pair, '?sslmode=require', [scram, clearText]],
  ])('is refused if it wants the password %s', async (_, tls, query, requests) => {
    const server = await startScriptedServer(tls, requests)
    const { message, hint } = await outcomeOf(server.address(query), env)
    expect(message).toContain('wants a password that others could read')
    expect(hint).toContain('sslmode=verify-full')
    const heard = server.heard()
    expect(heard).toContain('app')
    expect(heard).not.toContain(password)
    expect(heard).not.toContain('md5')
  })

  it('gets a password in clear text over TLS that is verified', async () => {
    const server = await startScriptedServer(pair, [clearText])
    await outcomeOf(server.address(''), { ...env, PGSSLROOTCERT: rootFile(pair.cert) })
    expect(server.heard()).toContain(password)
  })

  it('may repeat the password in its refusal: it is not shown', async () => {
    const fields = Buffer.from(`SFATAL\0C28P01\0Mno such password: ${password}\0\0`)
    const refusal = Buffer.concat([Buffer.from('E....'), fields])
    refusal.writeInt32BE(4 + fields.length, 1)
    const server = await startScriptedServer(undefined, [refusal])
    const { message } = await outcomeOf(server.address('?sslmode=disable'), env)
    expect(message).toContain('no such password: [redacted]')
    expect(message).not.toContain(password)
  })
})

describe('a database on loopback', () => {
  it.each([
    ['in clear text', undefined, '', [clearText]],
    ['as MD5', undefined, '?sslmode=prefer', [md5]],
    ['in clear text over TLS that is not verified', otherPair, '?sslmode=require', [clearText]],
  ])('is refused if it wants the password %s', async (_, tls, query, requests) => {
    const server = await startScriptedServer(tls, requests, '127.0.0.1')
    const { message } = await outcomeOf(server.address(query), { PGPASSWORD: password, HOME: '/nonexistent' })
    expect(message).toContain('wants a password that others could read')
    expect(server.heard()).toContain('app')
    expect(server.heard()).not.toMatch(/not-for-the-wire|md5/)
  })
})

describeOnServers('a real server with TLS', () => {
  it('is verified by its authority and name as sslmode says', async () => {
    const folder = clusterFolder('tls')
    const [certFile, keyFile] = [join(folder, 'server.crt'), join(folder, 'server.key')]
    for (const [file, text] of [
      [certFile, otherPair.cert],
      [keyFile, otherPair.key],
    ] as const) {
      writeFileSync(file, text, { mode: 0o600 })
      chmodSync(file, 0o600)
      if (process.getuid?.() === 0) chownSync(file, 65_534, 65_534)
    }
    const { port } = await startTestServer({ ssl: 'on', ssl_cert_file: certFile, ssl_key_file: keyFile })
    const at = (query: string) => `postgres://dlv@127.0.0.1:${port}/postgres?${query}`
    const env = { PGPASSWORD: databasePassword, HOME: createTempDir() }
    const [own, foreign] = [rootFile(otherPair.cert), rootFile(pair.cert)]
    const outcomes: [query: string, outcome: RegExp][] = [
      ['sslmode=require', /^connected$/],
      [`sslmode=verify-ca&sslrootcert=${own}`, /^connected$/],
      [`sslmode=require&sslrootcert=${own}`, /^connected$/],
      // The certificate is one for another name.
      [`sslmode=verify-full&sslrootcert=${own}`, /cannot be verified \(Hostname\/IP does not match/],
      [`sslmode=require&sslrootcert=${foreign}`, /cannot be verified/],
      [`sslmode=verify-ca&sslrootcert=${foreign}`, /cannot be verified/],
      ['sslmode=verify-full', /cannot be verified/],
      ['sslmode=verify-full&sslrootcert=system', /cannot be verified/],
      [`sslmode=verify-full&sslrootcert=${folder}/absent.crt`, /^Cannot read sslrootcert .*absent\.crt\.$/],
    ]
    for (const [query, outcome] of outcomes)
      expect([query, (await outcomeOf(at(query), env)).message]).toEqual([query, expect.stringMatching(outcome)])
  })
})
