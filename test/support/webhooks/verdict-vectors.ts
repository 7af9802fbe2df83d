import { sign } from '../../../src/webhooks/index.js'

/** The secret of every vector that does not name others. */
export const vectorSecret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const otherSecret = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD'

export interface Request {
  /** In the order and spelling of the wire. */
  headers: [name: string, value: string][]
  body: Buffer
}

/** One case of the scheme's edge: what is sent, and whether a receiver takes it. */
export interface Vector {
  title: string
  build(nowSeconds: number): Request
  /** The receiver's secrets; `vectorSecret` alone unless given. */
  secrets?: string[]
  /** `accepted`, or the reason of the rejection. */
  verdict: string
  /** The answer over HTTP; 2xx for what is accepted unless given. */
  status?: number
  /** Whether the request can be sent by an HTTP client at all; true unless said. */
  overHttp?: boolean
  chunked?: boolean
}

let count = 0
const newId = () => `evt_vector${++count}`

/** An event with a list in lists that many levels deep. */
function nestedEvent(nowSeconds: number, lists: number): Request {
  const id = newId()
  const body = testEventBody(id, 'delivery.accepted', `"deep": ${'['.repeat(lists)}${']'.repeat(lists)}`)
  return signed(nowSeconds, { id, body })
}

/** A well signed request, with any part replaced after signing (`sent`) or before (the rest). */
function signed(
  nowSeconds: number,
  options: {
    id?: string
    at?: number
    body?: string | Buffer
    secret?: string
    sent?: { id?: string; timestamp?: string; signature?: (good: string) => string; body?: string | Buffer }
    names?: [string, string, string]
    extra?: [string, string][]
    without?: string
  } = {},
): Request {
  const id = options.id ?? newId()
  const at = options.at ?? nowSeconds
  const body = options.body ?? testEventBody(id)
  const good = sign({ secret: options.secret ?? vectorSecret, id, timestampSeconds: at, body })
  const [idName, timestampName, signatureName] = options.names ?? [
    'webhook-id',
    'webhook-timestamp',
    'webhook-signature',
  ]
  const headers: [string, string][] = [
    [idName, options.sent?.id ?? id],
    [timestampName, options.sent?.timestamp ?? String(at)],
    [signatureName, options.sent?.signature?.(good) ?? good],
    ...(options.extra ?? []),
  ]
  return {
    headers: headers.filter(([name]) => name !== options.without),
    body: Buffer.from(options.sent?.body ?? body),
  }
}

/** An event whose bytes are not what `JSON.stringify` would print. */
function testEventBody(id: string, eventType = 'delivery.accepted', member = '"note": "caf\\u00e9"'): string {
  return `{"eventId": "${id}", "eventType":"${eventType}", "occurredAt":"2026-03-02T15:00:00.000Z", ${member}}`
}

const flipped = (body: string) => body.replace('accepted', 'acceptet')
const resigned = (change: (good: string) => string) => (nowSeconds: number) =>
  signed(nowSeconds, { sent: { signature: change } })
const timed = (change: (nowSeconds: number) => string) => (nowSeconds: number) => {
  // Signed over exactly the text that is sent, so that its form alone can be at fault.
  const timestamp = change(nowSeconds)
  const id = newId()
  const body = testEventBody(id)
  const signature = sign({ secret: vectorSecret, id, timestampSeconds: timestamp as unknown as number, body })
  return signed(nowSeconds, { id, body, sent: { timestamp, signature: () => signature } })
}

const digestOf = (good: string) => good.slice(3)
const asHex = (good: string) => Buffer.from(digestOf(good), 'base64').toString('hex')

export const vectors: Vector[] = [
  { title: 'a good one', verdict: 'accepted', build: (now) => signed(now) },
  { title: 'a bare base64 secret', verdict: 'accepted', secrets: [vectorSecret.slice(6)], build: (now) => signed(now) },
  {
    title: 'an unpadded secret',
    verdict: 'accepted',
    secrets: [`whsec_${Buffer.from('a key that has 25 bytes..').toString('base64').replaceAll('=', '')}`],
    build: (now) => signed(now, { secret: `whsec_${Buffer.from('a key that has 25 bytes..').toString('base64')}` }),
  },
  {
    title: 'a key under 24 bytes',
    verdict: 'accepted',
    secrets: [`whsec_${Buffer.from('a key of 16 byte').toString('base64')}`],
    build: (now) => signed(now, { secret: `whsec_${Buffer.from('a key of 16 byte').toString('base64')}` }),
  },
  {
    title: 'the second active secret',
    verdict: 'accepted',
    secrets: [otherSecret, vectorSecret],
    build: (now) => signed(now),
  },
  { title: 'a retired secret', verdict: 'no_matching_signature', build: (now) => signed(now, { secret: otherSecret }) },
  ...['webhook-id', 'webhook-timestamp', 'webhook-signature'].map(
    (name): Vector => ({
      title: `no ${name}`,
      verdict: 'missing_header',
      build: (now) => signed(now, { without: name }),
    }),
  ),
  { title: 'an empty id', verdict: 'malformed_id', build: (now) => signed(now, { id: '' }) },
  {
    title: 'header names in capitals',
    verdict: 'accepted',
    build: (now) => signed(now, { names: ['WEBHOOK-ID', 'Webhook-Timestamp', 'wEbHoOk-SiGnAtUrE'] }),
  },
  ...(['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const).flatMap((name): Vector[] => {
    const twice = (first: (good: string) => string) => (now: number) => {
      const request = signed(now)
      const good = request.headers.find(([header]) => header === name)?.[1] ?? ''
      return { ...request, headers: [[name, first(good)] as [string, string], ...request.headers] }
    }
    return [
      { title: `${name} twice alike`, verdict: 'duplicate_header', build: twice((good) => good) },
      { title: `${name} twice, one of them wrong`, verdict: 'duplicate_header', build: twice(() => 'v1,wrong') },
    ]
  }),
  { title: 'an id with a dot', verdict: 'malformed_id', build: (now) => signed(now, { id: 'evt_1.2' }) },
  { title: 'an id of 256 characters', verdict: 'accepted', build: (now) => signed(now, { id: 'e'.repeat(256) }) },
  { title: 'an id of 257 characters', verdict: 'malformed_id', build: (now) => signed(now, { id: 'e'.repeat(257) }) },
  {
    title: 'an id with a control character',
    verdict: 'malformed_id',
    overHttp: false,
    build: (now) => signed(now, { id: 'evt_\u0007bell' }),
  },
  { title: 'a signature of 300 s ago', verdict: 'accepted', build: (now) => signed(now, { at: now - 300 }) },
  { title: 'a signature of 300 s ahead', verdict: 'accepted', build: (now) => signed(now, { at: now + 300 }) },
  { title: 'a signature of 301 s ago', verdict: 'timestamp_too_old', build: (now) => signed(now, { at: now - 301 }) },
  { title: 'a signature of 1970', verdict: 'timestamp_too_old', build: (now) => signed(now, { at: 0 }) },
  { title: 'a signature of 301 s ahead', verdict: 'timestamp_too_new', build: (now) => signed(now, { at: now + 301 }) },
  ...(
    [
      ['hello', () => 'hello'],
      ['T.9', (now) => `${now}.9`],
      ['Tabc', (now) => `${now}abc`],
      ['+T', (now) => `+${now}`],
      ['Te5', (now) => `${Math.floor(now / 1e5)}e5`],
      ['T with a space inside', (now) => `${String(now).slice(0, 5)} ${String(now).slice(5)}`],
      ['-1', () => '-1'],
      ['0x10', () => '0x10'],
      ['T in milliseconds', (now) => `${now}000`],
      ['400 digits', () => '1'.repeat(400)],
      ['a leading zero', (now) => `0${now}`],
      ['NaN', () => 'NaN'],
      ['Infinity', () => 'Infinity'],
      ['nothing', () => ''],
    ] satisfies [string, (now: number) => string][]
  ).map(
    ([title, change]): Vector => ({
      title: `a timestamp that is ${title}`,
      verdict: 'malformed_timestamp',
      build: timed(change),
    }),
  ),
  ...['.9', 'abc', ' '].map(
    (suffix): Vector => ({
      title: `the timestamp T${suffix === ' ' ? ' and a stray word' : suffix} with the signature of T`,
      verdict: 'malformed_timestamp',
      build: (now) => signed(now, { sent: { timestamp: `${now}${suffix === ' ' ? ' x' : suffix}` } }),
    }),
  ),
  ...(
    [
      ['wrong, of the right length', 'no_matching_signature', () => `v1,${Buffer.alloc(32, 1).toString('base64')}`],
      ['of 8 characters', 'no_matching_signature', () => 'v1,Zm9vYmFy'],
      ['v1, and nothing', 'no_matching_signature', () => 'v1,'],
      ['a correct prefix', 'no_matching_signature', (good) => good.slice(0, 30)],
      ['without a version', 'malformed_signature', digestOf],
      ['V1,', 'malformed_signature', (good) => `V1,${digestOf(good)}`],
      ['v2, alone', 'malformed_signature', (good) => `v2,${digestOf(good)}`],
      ['v1a, alone', 'malformed_signature', (good) => `v1a,${digestOf(good)}`],
      ['empty', 'malformed_signature', () => ''],
      ['v1a, beside a good one', 'accepted', (good) => `v1a,${digestOf(good)} ${good}`],
      ['a malformed token beside a good one', 'accepted', (good) => `rubbish ${good}`],
      ['an empty v1, beside a good one', 'accepted', (good) => `v1, ${good}`],
      ['a good one third of four', 'accepted', (good) => `v1,AAAA v2,BBBB ${good} v1,CCCC`],
      ['a double space between', 'accepted', (good) => `v1,AAAA  ${good}`],
      ['a tab between', 'no_matching_signature', (good) => `v1,AAAA\t${good}`],
      ['base64url', 'no_matching_signature', (good) => `v1,${base64urlLike(digestOf(good))}`],
      ['unpadded', 'no_matching_signature', (good) => good.replace(/=+$/, '')],
      ['with non-canonical trailing bits', 'no_matching_signature', withTrailingBits],
      ['hex', 'no_matching_signature', (good) => `v1,${asHex(good)}`],
      ['followed by a comma and junk', 'no_matching_signature', (good) => `${good},junk`],
      ['33 tokens', 'malformed_signature', (good) => `${'v1,A '.repeat(32)}${good}`],
      ['32 tokens', 'accepted', (good) => `${'v1,A '.repeat(31)}${good}`],
      ['over 4 KiB', 'malformed_signature', (good) => `${good} v1,${'A'.repeat(4096)}`],
    ] satisfies [string, string, (good: string) => string][]
  ).map(
    ([title, verdict, change]): Vector => ({ title: `a signature that is ${title}`, verdict, build: resigned(change) }),
  ),
  {
    title: 'a flipped byte in the body',
    verdict: 'no_matching_signature',
    build: (now) => {
      const id = newId()
      return signed(now, { id, body: testEventBody(id), sent: { body: flipped(testEventBody(id)) } })
    },
  },
  {
    title: 'a body that was re-serialised',
    verdict: 'no_matching_signature',
    build: (now) => {
      const id = newId()
      const body = testEventBody(id)
      return signed(now, { id, body, sent: { body: JSON.stringify(JSON.parse(body)) } })
    },
  },
  {
    title: 'a body with LF turned to CRLF',
    verdict: 'no_matching_signature',
    build: (now) => {
      const id = newId()
      const body = `${testEventBody(id)}\n`
      return signed(now, { id, body, sent: { body: body.replace('\n', '\r\n') } })
    },
  },
  {
    title: 'U+FFFD where 0xFF was signed',
    verdict: 'no_matching_signature',
    build: (now) => {
      const id = newId()
      const [before = '', after = ''] = testEventBody(id).split('caf')
      const body = Buffer.concat([Buffer.from(before), Buffer.from([0xff]), Buffer.from(after)])
      return signed(now, { id, body, sent: { body: body.toString() } })
    },
  },
  {
    title: 'an emoji in the body',
    verdict: 'accepted',
    build: (now) => {
      const id = newId()
      return signed(now, { id, body: testEventBody(id, 'delivery.accepted', '"note": "🛵"') })
    },
  },
  {
    title: 'a signed byte order mark',
    verdict: 'accepted',
    build: (now) => {
      const id = newId()
      return signed(now, { id, body: `\ufeff${testEventBody(id)}` })
    },
  },
  { title: 'a chunked body', verdict: 'accepted', chunked: true, build: (now) => signed(now) },
  {
    title: 'a __proto__ key in the body',
    verdict: 'accepted',
    build: (now) => {
      const id = newId()
      return signed(now, { id, body: testEventBody(id, 'delivery.accepted', '"__proto__": {"polluted": true}') })
    },
  },
  { title: 'a signed empty body', verdict: 'accepted', status: 400, build: (now) => signed(now, { body: '' }) },
  {
    title: 'a signed body that is not JSON',
    verdict: 'accepted',
    status: 400,
    build: (now) => signed(now, { body: '{"' }),
  },
  {
    title: 'a signed event of 200 levels',
    verdict: 'accepted',
    build: (now) => nestedEvent(now, 199),
  },
  {
    title: 'a signed event of 201 levels',
    verdict: 'accepted',
    status: 400,
    build: (now) => nestedEvent(now, 200),
  },
  {
    title: 'a signed event of 500,000 levels',
    verdict: 'accepted',
    status: 400,
    build: (now) => nestedEvent(now, 500_000),
  },
  {
    title: 'a Content-Encoding',
    verdict: 'content_encoding',
    status: 415,
    build: (now) => signed(now, { extra: [['Content-Encoding', 'gzip']] }),
  },
  {
    title: 'a body over 1 MiB',
    verdict: 'body_too_large',
    status: 413,
    build: (now) => signed(now, { body: Buffer.alloc(1_048_577, 0x20) }),
  },
  {
    title: 'an eventId other than webhook-id',
    verdict: 'event_id_mismatch',
    build: (now) => signed(now, { body: testEventBody('evt_someone_else') }),
  },
  {
    title: 'an unknown eventType',
    verdict: 'accepted',
    build: (now) => {
      const id = newId()
      return signed(now, { id, body: testEventBody(id, 'delivery.teleported') })
    },
  },
]

/** The same digest in the other alphabet; changed at its padding where it has none of the differing characters. */
function base64urlLike(digest: string): string {
  return digest.replaceAll('+', '-').replaceAll('/', '_').replace(/=$/, '')
}

/** Sets the two unused low bits of the last digit: the same bytes to a lenient decoder. */
function withTrailingBits(good: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
  const last = good.at(-2) ?? ''
  return `${good.slice(0, -2)}${alphabet[alphabet.indexOf(last) | 1]}=`
}
