import { shellWord } from '../../shared/command-words.js'
import { type ExportedEvent, evidenceHeaders, exactText, receiverUrl, signedHeaders } from './exported-event.js'

/** Linux takes 128 KiB in one argument of a command. */
const argumentBytes = 100_000
/** Characters that a terminal acts on or a clipboard changes, and NUL, which no argument can hold. */
const unprintable = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/

/** The shells that quote and continue lines like each other, but for their words. */
const quotedFor = {
  curl: shellWord,
  // In fish a backslash within quotes escapes a quote or a backslash.
  fish: (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`,
} as const

/** The event as a curl command for a POSIX shell or fish, with the original headers and the exact body. */
export function curlOf(event: ExportedEvent, shell: keyof typeof quotedFor = 'curl'): string {
  const word = quotedFor[shell]
  const { text, encoding } = exactText(event.body)
  const isArgument = encoding === 'utf8' && event.body.length <= argumentBytes && !unprintable.test(text)
  const headers = Object.entries(signedHeaders(event)).map(([name, value]) => `-H ${word(`${name}: ${value}`)}`)
  const base64 = Buffer.from(event.body).toString('base64')
  const [input, data] = isArgument
    ? ['', `--data-raw ${shell === 'fish' ? word(text) : quoted(text)}`]
    : [`printf %s ${base64 === '' ? "''" : base64} | base64 -d | `, '--data-binary @-']
  const url = receiverUrl(event)
  // Outside of an address of IPv6, curl reads brackets and braces as a range of addresses.
  const globoff = /[[\]{}]/.test(url.replace(/^\w+:\/\/\[[^\]]*\]/, '')) ? '--globoff ' : ''
  return [`${input}curl --include ${globoff}--request POST ${word(url)}`, ...headers, data].join(' \\\n  ')
}

/** A body is always quoted, so that it looks like one. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

/** The event as a request of PowerShell, 5 and 7: `curl` is another program there, and quotes within arguments are lost. */
export function powershellOf(event: ExportedEvent): string {
  const { text, encoding } = exactText(event.body)
  const { 'content-type': contentType = 'application/json', ...headers } = signedHeaders(event)
  const isText = encoding === 'utf8' && !unprintable.test(text)
  const bytes = isText
    ? `[Text.Encoding]::UTF8.GetBytes(${powershellWord(text)})`
    : `[Convert]::FromBase64String('${Buffer.from(event.body).toString('base64')}')`
  const pairs = Object.entries(headers).map(([name, value]) => `'${name}' = ${powershellWord(value)}`)
  return [
    `Invoke-WebRequest -UseBasicParsing -Method Post -Uri ${powershellWord(receiverUrl(event))}`,
    `-ContentType ${powershellWord(contentType)}`,
    `-Headers @{ ${pairs.join('; ')} }`,
    `-Body (${bytes})`,
  ].join(' `\n  ')
}

/** PowerShell ends a quoted text at typographic quotation marks as well; doubled, each stands for itself. */
const powershellWord = (text: string) => `'${text.replace(/['\u2018-\u201b]/g, '$&$&')}'`

/** The event as a HAR 1.2 archive of one request, which browsers and proxies can import. */
export function harOf(event: ExportedEvent, creator: { name: string; version: string }) {
  const { text, encoding } = exactText(event.body)
  const headers = evidenceHeaders(event).map(([name, value]) => ({ name, value }))
  const mimeType = headers.find(({ name }) => name.toLowerCase() === 'content-type')?.value ?? 'application/json'
  const url = receiverUrl(event)
  const entry = {
    startedDateTime: new Date(event.receivedAtMs ?? 0).toISOString(),
    time: 0,
    request: {
      method: 'POST',
      url,
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers,
      queryString: [...new URL(url).searchParams].map(([name, value]) => ({ name, value })),
      postData: { mimeType, text, ...(encoding === 'base64' ? { encoding } : {}) },
      headersSize: -1,
      bodySize: event.body.length,
    },
    response: {
      status: 0,
      statusText: '',
      httpVersion: '',
      cookies: [],
      headers: [],
      content: { size: 0, mimeType: 'x-unknown' },
      redirectURL: '',
      headersSize: -1,
      bodySize: -1,
      comment: 'The response was not recorded.',
    },
    cache: {},
    timings: { send: 0, wait: 0, receive: 0 },
    comment: event.id,
  }
  return { log: { version: '1.2', creator, entries: [entry] } }
}

const imports = ["import { createHmac } from 'node:crypto'", "import { expect, test } from 'vitest'"].join('\n')

/**
 * The event as a Vitest file, in JavaScript that is TypeScript too. It needs nothing but Node: it signs the event again
 * with each secret in `DLV_WEBHOOK_SECRET`, since receivers reject an old signature, posts it to `DLV_WEBHOOK_URL`, and
 * expects a 2xx within the ten seconds that the contract gives a receiver.
 */
export function vitestOf(event: ExportedEvent): string {
  const { text, encoding } = exactText(event.body)
  const contentType = signedHeaders(event)['content-type'] ?? 'application/json'
  const name = [event.eventType, event.id].filter((word) => word !== undefined).join(' ')
  return `${imports}

// A captured webhook. Run it against your receiver:
//   DLV_WEBHOOK_URL=http://localhost:3000/webhooks DLV_WEBHOOK_SECRET=whsec_… npx vitest run
const id = ${literal(event.id)}
const contentType = ${literal(contentType)}
const body = Buffer.from(
  ${literal(text)},
  ${literal(encoding)},
)

test(${literal(`the receiver accepts ${name}`)}, async () => {
  const timestamp = String(Math.floor(Date.now() / 1000))
  const signatures = variable('DLV_WEBHOOK_SECRET')
    .split(/[\\s,]+/)
    .filter((secret) => secret !== '')
    .map((secret) => {
      if (!/^(whsec_)?[A-Za-z0-9+/]{22,}={0,2}$/.test(secret)) throw new Error('DLV_WEBHOOK_SECRET is not a secret.')
      const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
      return \`v1,\${createHmac('sha256', key).update(\`\${id}.\${timestamp}.\`).update(body).digest('base64')}\`
    })
  const response = await fetch(variable('DLV_WEBHOOK_URL'), {
    method: 'POST',
    headers: {
      'content-type': contentType,
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': signatures.join(' '),
    },
    body,
    redirect: 'manual',
    signal: AbortSignal.timeout(10_000),
  })
  const answer = \`\${response.status} \${await response.text()}\`
  expect(response.ok, \`The receiver answered \${answer.slice(0, 500)}\`).toBe(true)
}, 15_000)

function variable(name = '') {
  const value = process.env[name]
  if (value === undefined || value === '') throw new Error(\`Set \${name}.\`)
  return value
}
`
}

/** A JavaScript string in single quotes, in which JSON stays readable. */
function literal(text: string): string {
  const escaped = JSON.stringify(text).slice(1, -1)
  return `'${escaped.replace(/\\.|'/g, (found) => (found === '\\"' ? '"' : found === "'" ? "\\'" : found))}'`
}
