import { createHash } from 'node:crypto'
import { brotliDecompressSync } from 'node:zlib'
import type { HttpBindings } from '@hono/node-server'
import type { Hono } from 'hono'
import { styleSheet } from '../../report/index.js'
import { pageFiles } from './page-files.generated.js'
import { Refused } from './route.js'

const types: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  json: 'application/json; charset=utf-8',
  svg: 'image/svg+xml',
}

const reportStyle = createHash('sha256').update(styleSheet).digest('base64')

/**
 * Nothing inline but the styles of a report, whose frame is under this policy, too; nothing from elsewhere. `blob:` is
 * for images that the page has read with its token.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  `style-src 'self' 'sha256-${reportStyle}'`,
  "img-src 'self' blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Headers of every answer. */
export const safetyHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': policy,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
}

/** The page; of several accounts it says so, because no screen can ask for anything before it knows which. */
const documentOf = (areSeveral: boolean) => `<!doctype html>
<html lang="en"${areSeveral ? ' data-accounts="several"' : ''}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>dlv</title>
<link rel="icon" href="/ui/files/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/ui/files/inspector.css">
<script type="module" src="/ui/files/inspector.js"></script>
</head>
<body><div id="page"><header class="top"><span class="brand">dlv</span></header><main></main></div><noscript>This page needs JavaScript.</noscript></body>
</html>
`

/** Serves the files of the page, and the page itself at the address of every screen. */
export function servePage(app: Hono<{ Bindings: HttpBindings }>, areSeveral: boolean): void {
  const document = documentOf(areSeveral)
  app.get('/', ({ redirect }) => redirect('/ui/'))
  app.get('/ui/files/:name{[\\w.-]+}', ({ req, body }) => {
    const name = req.param('name')
    const packed = Object.hasOwn(pageFiles, name) ? pageFiles[name] : undefined
    if (packed === undefined) throw new Refused(404, 'NOT_FOUND', 'Not found.')
    const text = brotliDecompressSync(Buffer.from(packed, 'base64')).toString()
    return body(text, 200, { 'content-type': types[name.split('.').at(-1) ?? ''] ?? 'text/plain; charset=utf-8' })
  })
  app.get('/ui/*', ({ html }) => html(document))
  app.get('*', () => {
    throw new Refused(404, 'NOT_FOUND', 'Not found.')
  })
  app.all('*', () => {
    throw new Refused(405, 'METHOD_NOT_ALLOWED', 'Pages are only read.')
  })
}
