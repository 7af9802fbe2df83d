import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type ExportedEvent, exportEvent } from '../../src/webhooks/internal.js'
import { createTempDir } from '../support/temp-dir.js'

const creator = { name: 'test', version: '1' }
const event = (more: Partial<ExportedEvent>): ExportedEvent => ({
  id: 'evt_1',
  body: Buffer.from('{}'),
  rawHeaders: ['Webhook-Id', 'evt_1'],
  ...more,
})
const text = (format: 'http' | 'har' | 'curl' | 'fixture' | 'vitest', more: Partial<ExportedEvent>) =>
  Buffer.from(exportEvent(event(more), format, creator)).toString('latin1')

describe('An exported event', () => {
  const binary = Buffer.from([0x00, 0xe9, 0xff, 0x80, 0x27, 0x0a])

  it('keeps bytes that are not UTF-8 in every format', () => {
    expect(text('http', { body: binary }).endsWith(`\r\n\r\n${binary.toString('latin1')}`)).toBe(true)
    const base64 = binary.toString('base64')
    expect(JSON.parse(text('har', { body: binary })).log.entries[0].request.postData).toMatchObject({
      text: base64,
      encoding: 'base64',
    })
    expect(JSON.parse(text('fixture', { body: binary }))).toMatchObject({ body: base64, encoding: 'base64' })
    expect(text('vitest', { body: binary })).toContain(`'${base64}',\n  'base64'`)
    const [command = ''] = text('curl', { body: binary }).split(' | curl')
    expect(execFileSync('sh', ['-c', command])).toEqual(binary)
  })

  it.each([
    'it\'s "quoted" \\" \\\\ \\\\" `x` ${x} \u2028 \n\r\t',
    "'",
    '\\',
    '',
  ])('is a string of JavaScript with the same value: %j', async (body) => {
    const [, literal = ''] = /Buffer\.from\(\n {2}([^\n]*),\n {2}'utf8'/.exec(
      Buffer.from(exportEvent(event({ body: Buffer.from(body) }), 'vitest', creator)).toString(),
    ) ?? ['', '']
    const file = join(createTempDir(), 'literal.mjs')
    writeFileSync(file, `export default ${literal}`)
    expect((await import(file)).default).toBe(body)
  })

  it('holds no credentials of the receiver and no headers of the connection', () => {
    const rawHeaders = ['Authorization', 'Basic x', 'COOKIE', 'a=b', 'Transfer-Encoding', 'chunked', 'X-Kept', 'yes']
    for (const format of ['http', 'har', 'curl', 'fixture', 'vitest'] as const)
      expect(text(format, { rawHeaders })).not.toMatch(/Basic|a=b|chunked/)
    expect(text('http', { rawHeaders })).toMatch(/X-Kept: yes\r\nContent-Length: 2\r\n\r\n\{\}$/)
  })

  it.each([
    ['https', 'localhost:4040', 'https://localhost:4040/'],
    ['HTTPS, http', '127.0.0.1', 'https://127.0.0.1/'],
    ['http', 'app.example.com', 'http://app.example.com/'],
    ['ftp', 'app.example.com', 'https://app.example.com/'],
  ])('keeps the scheme that %s in front of it tells', (told, host, url) => {
    const rawHeaders = ['Host', host, 'X-Forwarded-Proto', told]
    expect(text('curl', { rawHeaders })).toContain(`--request POST ${url} `)
  })

  it.each([
    ['api.example.com:8443', 'https://api.example.com:8443/'],
    ['[::1]:80', "'http://[::1]/'"],
    ['x";rm -rf ~;"', 'http://localhost:3000/'],
    ['$(id)', 'http://localhost:3000/'],
  ])('takes the address from Host %s only if it is one', (host, url) => {
    expect(text('curl', { rawHeaders: ['Host', host] })).toContain(`--request POST ${url} `)
  })

  it('quotes an address that a shell would expand', () => {
    expect(text('curl', { url: "http://localhost/$(id)'}" })).toContain(" 'http://localhost/$(id)'\\''}' ")
  })
})
