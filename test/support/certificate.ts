import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { join } from 'node:path'
import type { CertificatePair } from '../../src/listener/index.js'
import { createTempDir } from './temp-dir.js'

/** A new certificate for names and IP addresses that signs itself, made by `openssl`. */
export function testCertificate(hosts: readonly string[] = ['localhost', '127.0.0.1', '::1']): CertificatePair {
  const names = hosts.map((host) => `${isIP(host) === 0 ? 'DNS' : 'IP'}:${host}`)
  const made = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2']
  const named = ['-subj', '/CN=dlv test', '-addext', `subjectAltName=${names.join(',')}`]
  const pem = execFileSync('openssl', [...made, ...named, '-keyout', '-', '-out', '-'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const block = (label: string) =>
    new RegExp(`-----BEGIN ${label}-----[^]*-----END ${label}-----\n`).exec(pem)?.[0] ?? ''
  return { cert: block('CERTIFICATE'), key: block('PRIVATE KEY') }
}

/** The flags for a listener that serves a certificate. */
export function tlsFlags({ cert, key }: CertificatePair): string[] {
  const folder = createTempDir()
  const files = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') }
  writeFileSync(files.cert, cert)
  writeFileSync(files.key, key)
  return ['--tls-cert', files.cert, '--tls-key', files.key]
}
