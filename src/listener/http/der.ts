/** The few pieces of ASN.1's distinguished encoding (ITU-T X.690) that a certificate is made of. */

export function der(tag: number, ...contents: Uint8Array[]): Buffer {
  const content = Buffer.concat(contents)
  return Buffer.concat([Buffer.from([tag]), lengthOf(content.length), content])
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length])
  return length < 0x100 ? Buffer.from([0x81, length]) : Buffer.from([0x82, length >> 8, length & 0xff])
}

export const sequence = (...members: Uint8Array[]) => der(0x30, ...members)
export const set = (...members: Uint8Array[]) => der(0x31, ...members)
export const octets = (content: Uint8Array) => der(0x04, content)
export const utf8Text = (text: string) => der(0x0c, Buffer.from(text))
export const truth = () => der(0x01, Buffer.from([0xff]))
/** Bits in whole bytes, or with some of the last byte unused. */
export const bits = (content: Uint8Array, unused = 0) => der(0x03, Buffer.from([unused]), content)
/** Positive, big-endian. */
export const integer = (bytes: Uint8Array) =>
  der(0x02, (bytes[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.of(0), bytes]) : bytes)
/** A time up to the year 2049, to the second. */
export const utcTime = (atMs: number) =>
  der(0x17, Buffer.from(`${new Date(atMs).toISOString().replace(/\D/g, '').slice(2, 14)}Z`))

export function objectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  return der(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]))
}

function base128(arc: number): number[] {
  const digits = [arc & 0x7f]
  for (let left = arc >>> 7; left > 0; left >>>= 7) digits.unshift((left & 0x7f) | 0x80)
  return digits
}
