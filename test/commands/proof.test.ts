import { lookup } from 'node:dns/promises'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isPrivateAddress } from '../../src/shared/private-address.js'
import { type Cli, createCli } from '../support/cli/program.js'
import { startHttpServer } from '../support/http-server.js'

type Answer = (response: ServerResponse, request: IncomingMessage) => void

/** Serves one delivery whose proof is a picture at `/picture`, and what `answers` says at other paths. */
async function servePicture(answers: Record<string, Answer>, picturePath = '/picture', first?: string) {
  const requests: IncomingMessage[] = []
  const origin = await startHttpServer((request, response) => {
    requests.push(request)
    const answer = answers[request.url ?? '']
    if (answer !== undefined) return answer(response, request)
    response.setHeader('content-type', 'application/json')
    const proofOfDelivery = [{ type: 'photo', stage: 'dropoff', url: first ?? `${origin}${picturePath}` }]
    response.end(JSON.stringify({ deliveryId: 'del_1', status: 'delivered', proofOfDelivery }))
  })
  return { origin, requests, env: { DLV_BASE_URL: `${origin}/delivery/v1`, DLV_API_KEY: 'dlvk_test' } }
}

const png: Answer = (response) => response.setHeader('content-type', 'image/png').end('a picture')
const redirect =
  (location: string): Answer =>
  (response) =>
    response.writeHead(302, { location }).end()

const words = (cli: Cli, ...more: string[]) => [
  'deliveries',
  'proof',
  'del_1',
  '--save',
  join(cli.home, 'proof'),
  ...more,
]
const saved = (cli: Cli) => (existsSync(join(cli.home, 'proof')) ? readdirSync(join(cli.home, 'proof')) : [])
const fileName = 'del_1-1-photo.png'

describe('deliveries proof --save', () => {
  it('saves each picture under a name of its own, and sends no key for it', async () => {
    const cli = createCli()
    const service = await servePicture({ '/picture': png })
    const { exitCode, stderr } = await cli.run(words(cli), { env: service.env })
    expect([exitCode, stderr]).toEqual([0, `Saved ${join(cli.home, 'proof', fileName)}\n`])
    expect(saved(cli)).toEqual([fileName])
    expect(readFileSync(join(cli.home, 'proof', fileName), 'utf8')).toBe('a picture')
    expect(service.requests.at(-1)?.headers.authorization).toBeUndefined()
  })

  it('stops at 64 MB of a picture that does not end, and leaves nothing of it', async () => {
    const cli = createCli()
    let sentMb = 0
    const endless: Answer = (response) => {
      const megabyte = Buffer.alloc(1_000_000)
      const send = () => {
        do sentMb++
        while (response.write(megabyte))
      }
      response.setHeader('content-type', 'image/png').on('drain', send)
      send()
    }
    const service = await servePicture({ '/picture': endless })
    const { exitCode, stderr } = await cli.run(words(cli), { env: service.env })
    expect(exitCode).toBe(8)
    expect(stderr).toContain('larger than 64 MB')
    expect(saved(cli)).toEqual([])
    expect(sentMb).toBeLessThan(100)
  })

  it('ends at --timeout, however slowly the bytes come, and leaves nothing', async () => {
    const cli = createCli()
    const drip: Answer = (response) => {
      response.setHeader('content-type', 'image/png')
      const timer = setInterval(() => response.write('.'), 20)
      response.on('close', () => clearInterval(timer))
    }
    const service = await servePicture({ '/picture': drip })
    const { exitCode, stderr } = await cli.run(words(cli, '--timeout', '1s'), { env: service.env })
    expect(exitCode).toBe(8)
    expect(stderr).toContain('--timeout')
    expect(saved(cli)).toEqual([])
  })

  it('leaves nothing when it is interrupted', async () => {
    const cli = createCli()
    const reached = Promise.withResolvers<void>()
    const half: Answer = (response) => {
      response.setHeader('content-type', 'image/png').write('half a picture')
      reached.resolve()
    }
    const service = await servePicture({ '/picture': half })
    const running = cli.start(words(cli), { env: service.env })
    await reached.promise
    const { exitCode } = await running.kill('SIGINT')
    expect(exitCode).toBe(130)
    expect(saved(cli)).toEqual([])
  })

  it('leaves nothing of a picture that is cut short', async () => {
    const cli = createCli()
    const cut: Answer = (response) => {
      response.writeHead(200, { 'content-type': 'image/png', 'content-length': '1000' })
      response.write('ten bytes.', () => response.destroy())
    }
    const service = await servePicture({ '/picture': cut })
    expect((await cli.run(words(cli), { env: service.env })).exitCode).toBe(8)
    expect(saved(cli)).toEqual([])
  })

  it('writes through no symbolic link', async () => {
    const cli = createCli()
    const service = await servePicture({ '/picture': png })
    const precious = join(cli.home, 'precious.txt')
    writeFileSync(precious, 'precious')
    mkdirSync(join(cli.home, 'proof'))
    symlinkSync(precious, join(cli.home, 'proof', `${fileName}.part`))
    expect((await cli.run(words(cli), { env: service.env })).exitCode).toBe(0)
    expect(saved(cli)).toEqual([fileName])
    const other = createCli()
    mkdirSync(join(other.home, 'proof'))
    symlinkSync(precious, join(other.home, 'proof', fileName))
    const { exitCode, stderr } = await other.run(words(other), { env: service.env })
    expect(exitCode).toBe(2)
    expect(stderr).toContain('symbolic link')
    expect(readFileSync(precious, 'utf8')).toBe('precious')
  })
})

/** This machine's own name, if it leads to a private address. */
const privateName = await lookup(hostname()).then(
  ({ address }) => (isPrivateAddress(address) ? hostname() : undefined),
  () => undefined,
)

describe('A redirect of a proof', () => {
  it.runIf(privateName)('to a name with a private address is not followed', async () => {
    const cli = createCli()
    const service = await servePicture({ '/picture': redirect(`http://${privateName}:9/picture`) })
    const { exitCode, stderr } = await cli.run(words(cli), { env: service.env })
    expect(exitCode).toBe(8)
    expect(stderr).toContain('on this machine or in a private network')
  })

  it('within its origin is followed', async () => {
    const cli = createCli()
    const service = await servePicture({ '/moved': redirect('/picture'), '/picture': png }, '/moved')
    expect((await cli.run(words(cli), { env: service.env })).exitCode).toBe(0)
    expect(saved(cli)).toEqual([fileName])
  })

  it.each([
    ['another port of this machine', (other: string) => `${other}/picture`],
    ['this machine by name', (other: string) => `${other.replace('127.0.0.1', 'localhost')}/picture`],
    ['this machine in another spelling', (other: string) => `${other.replace('127.0.0.1', '0x7f.1')}/picture`],
    ['the metadata of a cloud', () => 'http://169.254.169.254/latest/meta-data/'],
    ['a private network', () => 'https://10.0.0.1/secret'],
  ])('to %s is not followed', async (_name, locationOf) => {
    const cli = createCli()
    const other = await servePicture({ '/picture': png })
    const service = await servePicture({ '/picture': redirect(locationOf(other.origin)) })
    const { exitCode, stderr } = await cli.run(words(cli), { env: service.env })
    expect(exitCode).toBe(8)
    expect(stderr).toContain('on this machine or in a private network')
    expect(other.requests).toHaveLength(0)
    expect(saved(cli)).toEqual([])
  })

  it.each([
    ['another port of this machine', (other: string) => `${other}/picture`],
    ['this machine by name', (other: string) => `${other.replace('127.0.0.1', 'localhost')}/picture`],
    ['the metadata of a cloud', () => 'http://169.254.169.254/latest/meta-data/'],
    ['a private network, in IPv6', () => 'http://[::ffff:10.0.0.1]/secret'],
    ['a name of it', () => `http://${privateName ?? '10.0.0.1'}:9/picture`],
  ])('is judged like the first address, to %s', async (_name, locationOf) => {
    const cli = createCli()
    const other = await servePicture({ '/picture': png })
    const service = await servePicture({}, '', locationOf(other.origin))
    const { exitCode, stderr } = await cli.run(words(cli), { env: service.env })
    expect([exitCode, stderr]).toEqual([8, expect.stringContaining('on this machine or in a private network')])
    expect(other.requests).toHaveLength(0)
  })

  it('that goes in circles ends', async () => {
    const cli = createCli()
    const service = await servePicture({ '/picture': redirect('/picture') })
    const { exitCode, stderr } = await cli.run(words(cli), { env: service.env })
    expect(exitCode).toBe(8)
    expect(stderr).toContain('redirects more than 5 times')
  })
})
