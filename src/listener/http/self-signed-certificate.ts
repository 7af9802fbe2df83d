import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { isIP } from 'node:net'
import { dayMs } from '../../shared/durations.js'
import { bits, der, integer, objectId, octets, sequence, set, truth, utcTime, utf8Text } from './der.js'

/** A certificate and its key, both as PEM. */
export interface CertificatePair {
  /** The certificate, with any intermediate ones after it. */
  cert: string
  /** Its private key, without a passphrase. */
  key: string
}

const validDays = 90

/**
 * A new P-256 certificate that signs itself, for TLS on this machine. A client must be given it to trust.
 *
 * @param hosts names and IP addresses that it stands for
 */
export function selfSignedCertificate(hosts: readonly string[], nowMs = Date.now()): CertificatePair {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const ecdsaWithSha256 = sequence(objectId('1.2.840.10045.4.3.2'))
  const name = sequence(set(sequence(objectId('2.5.4.3'), utf8Text('dlv listener'))))
  const version3 = der(0xa0, integer(Buffer.of(2)))
  const serial = integer(Buffer.concat([Buffer.of(1), randomBytes(15)]))
  const validity = sequence(utcTime(nowMs - dayMs), utcTime(nowMs + validDays * dayMs))
  const certificate = sequence(
    version3,
    serial,
    ecdsaWithSha256,
    name,
    validity,
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(...extensions(hosts))),
  )
  const signature = sign('sha256', certificate, privateKey)
  const signed = sequence(certificate, ecdsaWithSha256, bits(signature)).toString('base64')
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${signed.replace(/.{64}/g, '$&\n').trimEnd()}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

function extensions(hosts: readonly string[]): Buffer[] {
  const alternativeNames = hosts.map((host) =>
    isIP(host) === 0 ? der(0x82, Buffer.from(host)) : der(0x87, addressBytes(host)),
  )
  const digitalSignature = bits(Buffer.of(0x80), 7)
  const serverAuthentication = sequence(objectId('1.3.6.1.5.5.7.3.1'))
  return [
    sequence(objectId('2.5.29.17'), octets(sequence(...alternativeNames))),
    sequence(objectId('2.5.29.19'), truth(), octets(sequence())),
    sequence(objectId('2.5.29.15'), truth(), octets(digitalSignature)),
    sequence(objectId('2.5.29.37'), octets(serverAuthentication)),
  ]
}

function addressBytes(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split('.').map(Number))
  const [head = '', tail] = address.split('::')
  const groups = (part: string) => part.split(':').filter((group) => group !== '')
  const before = groups(head)
  const after = groups(tail ?? '')
  const zeros = new Array<string>(8 - before.length - after.length).fill('0')
  const values = [...before, ...zeros, ...after].map((group) => Number.parseInt(group, 16))
  return Buffer.from(values.flatMap((value) => [value >> 8, value & 0xff]))
}
