import { type ExportedEvent, exactText, signedHeaders } from './exported-event.js'

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
