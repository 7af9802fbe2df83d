import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { createServer, type ServerOptions } from 'node:https'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { createClient } from '../../src/client/index.js'
import { trustForTest } from '../support/client/connect-proxy.js'
import { startHttpServer } from '../support/http-server.js'
import { createTempDir } from '../support/temp-dir.js'

const folder = createTempDir(afterAll)
const at = (name: string) => join(folder, name)
const openssl = (...words: string[]) => execFileSync('openssl', words, { stdio: 'ignore' })
const elliptic = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']

function authority(name: string, ...more: string[]): string {
  const files = ['-keyout', at(`${name}.key`), '-out', at(`${name}.pem`)]
  openssl('req', '-x509', ...elliptic, '-days', '2', '-subj', `/CN=${name}`, ...files, ...more)
  return readFileSync(at(`${name}.pem`), 'utf8')
}

/** A certificate that an authority has signed, as a server has it. */
function signed(name: string, by: string, extensions: string, days = '2'): ServerOptions {
  writeFileSync(at('extensions'), extensions)
  openssl('req', ...elliptic, '-subj', `/CN=${name}`, '-keyout', at(`${name}.key`), '-out', at('request'))
  const signer = ['-CA', at(`${by}.pem`), '-CAkey', at(`${by}.key`), '-days', days, '-extfile', at('extensions')]
  openssl('x509', '-req', '-in', at('request'), ...signer, '-out', at(`${name}.pem`))
  return { key: readFileSync(at(`${name}.key`)), cert: readFileSync(at(`${name}.pem`)) }
}

const root = authority('root')
const constrained = authority('constrained', '-addext', 'nameConstraints=critical,permitted;DNS:corp.example')
const here = 'subjectAltName=DNS:localhost\n'
const good = signed('good', 'root', here)
const authorityOfOthers = authority('strange')

it.each<[string, ServerOptions | undefined, string, RegExp]>([
  ['has expired', signed('expired', 'root', here, '-1'), 'certificate has expired', /renew it/],
  ['is for another name', signed('other', 'root', 'subjectAltName=DNS:shop.example\n'), 'altnames', /another name/],
  ['is that of a client', signed('purpose', 'root', `${here}extendedKeyUsage=clientAuth\n`), 'purpose', /does not fit/],
  ['is outside of what its authority may sign', signed('outside', 'constrained', here), 'subtree', /does not fit/],
  ['has an unknown authority', signed('unknown', 'strange', here), 'unable to verify', /NODE_EXTRA_CA_CERTS/],
  [
    'asks for one of the client',
    // In version 1.3 a client is refused after the handshake, which looks like a connection that is closed.
    { ...good, requestCert: true, rejectUnauthorized: true, ca: authorityOfOthers, maxVersion: 'TLSv1.2' },
    'alert',
    /of the client/,
  ],
  ['does not speak TLS', undefined, 'wrong version number', /scheme and port/],
])('A server whose certificate %s is said so, asked once, with what helps', async (_, options, words, remedy) => {
  trustForTest(root + constrained)
  const server = options === undefined ? createHttpServer() : createServer(options)
  let connections = 0
  server.on('connection', () => connections++)
  const { port } = new URL(await startHttpServer(server))
  await using client = createClient({ baseUrl: `https://localhost:${port}/delivery/v1`, apiKey: 'dlvk_sbx_test_0001' })
  const error = await client.getHealth().catch((reason: unknown) => reason)
  expect(error).toMatchObject({
    reason: 'tls',
    message: expect.stringContaining(`No trusted connection to localhost:${port}: `) as string,
    hint: expect.stringMatching(remedy) as string,
  })
  expect((error as Error).message).toContain(words)
  expect((error as Error).message).not.toMatch(/SSL routines|if the root CA/)
  expect(connections).toBe(1)
})
