// A listener behind each server of docs/behind-a-server.md: the blocks of the page are its configuration.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { newSecret, signatureHeaders } from 'dlv-cli/webhooks'
import { freePort } from '../../test/support/free-port.ts'

const page = readFileSync('docs/behind-a-server.md', 'utf8')
const folder = mkdtempSync(join(tmpdir(), 'dlv-servers-'))
// Some servers read their files as another user.
chmodSync(folder, 0o755)
const secrets = [newSecret(), newSecret()]
const path = '/hooks/a%2Fb'
const query = '?x=%7E+%20y'
const publicName = 'hooks.example.com'
const started = []

/** How each server is run with its block; `wrap` adds what belongs around a site. */
const servers = {
  nginx: {
    wrap: (text) =>
      `daemon off; pid ${folder}/nginx.pid; error_log stderr; events {}\nhttp { access_log off; client_body_temp_path ${folder}; proxy_temp_path ${folder};\n${text} }`,
    words: (file) => ['nginx', '-p', folder, '-c', file, '-e', 'stderr'],
  },
  haproxy: {
    wrap: (text) => `defaults\n  timeout connect 5s\n  timeout client 30s\n  timeout server 10s\n${text}`,
    words: (file) => ['haproxy', '-db', '-f', file],
  },
  apache: {
    wrap: (text) =>
      `ServerRoot ${folder}\nPidFile ${folder}/apache.pid\nServerName ${publicName}\nErrorLog ${folder}/apache.log\n${[
        ...['mpm_event', 'authz_core', 'headers', 'proxy', 'proxy_http'],
      ]
        .map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`)
        .join('\n')}\n${process.getuid() === 0 ? 'User nobody\nGroup nogroup\n' : ''}${text}`,
    words: (file) => ['apache2', '-X', '-f', file],
  },
  caddy: {
    wrap: (text) => `{\n  admin off\n  auto_https off\n  storage file_system ${folder}\n}\n${text}`,
    words: (file) => ['caddy', 'run', '--adapter', 'caddyfile', '--config', file],
  },
  vcl: {
    name: 'varnish',
    wrap: (text) => text,
    words: (file, port) => ['varnishd', '-F', '-n', join(folder, 'varnish'), '-a', `127.0.0.1:${port}`, '-f', file],
  },
  lighttpd: {
    wrap: (text, port) =>
      `server.document-root = "${folder}"\nserver.port = ${port}\nserver.bind = "127.0.0.1"\nserver.upload-dirs = ( "${folder}" )\n${text}`,
    words: (file) => ['lighttpd', '-D', '-f', file],
  },
}

function run(words, env = {}) {
  const [program, ...args] = words
  const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
  child.said = ''
  child.stderr.on('data', (piece) => {
    child.said += piece
  })
  started.push(child)
  return child
}

async function end(child) {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  const late = setTimeout(() => child.kill('SIGKILL'), 5_000)
  await once(child, 'exit')
  clearTimeout(late)
}

async function startListener(port, adminPort) {
  const words = [process.execPath, 'bin/run.js', 'webhooks', 'listen', '--port', port, '--path', path, '-o', 'ndjson']
  const more = ['--admin-port', adminPort, '--allow-host', publicName, '--journal', join(folder, `${port}.db`)]
  const env = { HOME: folder, DLV_WEBHOOK_SECRET: secrets.join(' ') }
  const listener = run([...words, ...more].map(String), env)
  const lines = createInterface({ input: listener.stdout })
  await Promise.race([once(lines, 'line'), once(listener, 'exit').then(() => fail(listener.said))])
  return listener
}

const fail = (message) => {
  throw new Error(message)
}

/** A backend that takes a request whole and closes without an answer; counts how often each comes. */
async function startLoser(port) {
  let requests = 0
  const server = createServer((socket) => {
    let text = ''
    socket.on('error', () => {})
    socket.on('data', (piece) => {
      text += piece
      if (!text.includes('\n{"lost":1}')) return
      requests++
      socket.destroy()
    })
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return { count: () => requests, close: () => server.close() }
}

let count = 0
/** Posts an event in pieces; the status. */
async function send(port, { body, by = secrets.slice(0, 1), pieces = 1, pauseMs = 0 }) {
  const id = `evt_${++count}`
  const text =
    body ?? JSON.stringify({ eventId: id, eventType: 'delivery.accepted', occurredAt: '2026-03-02T15:00:00Z' })
  const signed = signatureHeaders({ secrets: by, id, timestampSeconds: Math.floor(Date.now() / 1000), body: text })
  const headers = { ...signed, host: publicName, 'content-type': 'application/json', 'content-length': text.length }
  const posted = request({ port, host: '127.0.0.1', method: 'POST', path: path + query, headers })
  const answered = once(posted, 'response')
  answered.catch(() => {})
  const size = Math.ceil(text.length / pieces)
  for (let at = 0; at < text.length; at += size) {
    posted.write(text.slice(at, at + size))
    if (pauseMs > 0) await pause(pauseMs)
  }
  posted.end()
  const [{ statusCode }] = await answered
  return { id, status: statusCode }
}

async function get(port, target) {
  const asked = request({ port, host: '127.0.0.1', path: target, headers: { host: publicName } }).end()
  const [response] = await once(asked, 'response')
  response.resume()
  return response.statusCode
}

async function until(check, child) {
  for (let attempt = 0; attempt < 100; attempt++) {
    if (await check().catch(() => false)) return
    if (child.exitCode !== null) break
    await pause(100)
  }
  fail(child.said.slice(-2_000))
}

const tryParse = (text) => (text === '' ? undefined : JSON.parse(text))

/** The path of an event as the journal has it. */
async function keptPath(port, id) {
  const words = ['bin/run.js', 'webhooks', 'log', id, '--json', '--journal', join(folder, `${port}.db`)]
  const child = run([process.execPath, ...words], { HOME: folder, DLV_WEBHOOK_SECRET: secrets[0] })
  let text = ''
  for await (const piece of child.stdout) text += piece
  return tryParse(text)?.headers.find(([name]) => name === ':path')?.[1]
}

const large = `{"eventId":"evt_x","padding":"${'x'.repeat(1_048_576 - 40)}"}`

async function check(language) {
  const { wrap, words } = servers[language]
  const [, block] = new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(page) ?? fail(`no block of ${language}`)
  const [front, back, admin] = [await freePort(), await freePort(), await freePort()]
  const site = block.replaceAll('8080', front).replaceAll('3000', back).replaceAll('9090', admin)
  const file = join(folder, `${language}.conf`)
  writeFileSync(file, wrap(site, front))
  const listener = await startListener(back, admin)
  const server = run(words(file, front))
  await until(async () => (await get(front, '/readyz')) !== undefined, server)
  await until(async () => (await get(front, '/readyz')) === 200, server).catch(() => {})
  const readyz = await get(front, '/readyz')
  const plain = await send(front, {})
  const row = {
    verify: plain.status,
    rotation: (await send(front, { by: [newSecret(), secrets[1]] })).status,
    '1 MiB': (await send(front, { body: large.replace('evt_x', `evt_${count + 1}`).slice(0) })).status,
    'slow body': (await send(front, { pieces: 5, pauseMs: 1_000 })).status,
    'health check': readyz,
    path: (await keptPath(back, plain.id)) === path + query ? 'as sent' : await keptPath(back, plain.id),
  }
  await end(listener)
  const loser = await startLoser(back)
  await pause(1_500)
  const lost = await send(front, { body: '\n{"lost":1}' })
  await pause(500)
  loser.close()
  await end(server)
  return { ...row, 'lost answer': `${lost.status}, sent ${loser.count()}×` }
}

mkdirSync(join(folder, 'varnish'))
let isGood = true
const table = {}
try {
  for (const [language, { name = language }] of Object.entries(servers).filter(
    ([language]) => process.argv.length < 3 || process.argv.includes(language),
  )) {
    const row = await check(language)
    table[name] = row
    const { 'lost answer': lost, path: kept, ...statuses } = row
    isGood &&= Object.values(statuses).every((status) => status === 200) && kept === 'as sent' && /^5\d\d/.test(lost)
  }
} finally {
  for (const child of started) await end(child)
  rmSync(folder, { recursive: true, force: true })
}
console.table(table)
if (!isGood) fail('a server did something else than the page says')
