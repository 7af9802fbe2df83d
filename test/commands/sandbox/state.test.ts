import { afterAll, describe, expect, it } from 'vitest'
import { createCli } from '../../support/cli/program.js'
import { serveSandbox } from '../../support/sandbox/served-sandbox.js'

const create = ['deliveries', 'create', '--file', 'examples/order.json']

describe('sandbox reset', () => {
  it('asks on a terminal, with the file that it empties', async () => {
    const cli = createCli()
    await cli.json(create)
    const person = cli.startAsking(['sandbox', 'reset'])
    await person.shows('[y/N]')
    expect(person.screen().replaceAll(/\s+/g, ' ')).toContain(`Delete everything in the sandbox ${cli.home}`)
    person.type('n\r')
    const refused = await person.ended
    expect(refused).toMatchObject({ exitCode: 9, stdout: expect.stringContaining('Nothing was deleted.') })
    expect(await cli.json(['deliveries', 'list'])).toHaveLength(1)
    const sure = cli.startAsking(['sandbox', 'reset'])
    await sure.shows('[y/N]')
    sure.type('y\r')
    expect((await sure.ended).exitCode).toBe(0)
    expect(await cli.json(['deliveries', 'list'])).toEqual([])
  })

  it('needs --yes elsewhere', async () => {
    const cli = createCli()
    await cli.json(create)
    const refused = await cli.run(['sandbox', 'reset'])
    expect(refused.exitCode).toBe(2)
    expect(refused.stderr).toContain('Use --yes.')
    expect(await cli.json(['deliveries', 'list'])).toHaveLength(1)
    expect((await cli.run(['sandbox', 'reset', '--yes'])).exitCode).toBe(0)
    expect(await cli.json(['deliveries', 'list'])).toEqual([])
  })
})

describe('sandbox snapshot', () => {
  it('does not overwrite silently', async () => {
    const cli = createCli()
    await cli.json(['sandbox', 'snapshot', 'save', 'one'])
    await cli.json(create)
    const refused = await cli.run(['sandbox', 'snapshot', 'save', 'one'])
    expect(refused.exitCode).toBe(5)
    expect(refused.stderr).toContain('hint: Overwrite it with --force.')
    const person = cli.startAsking(['sandbox', 'snapshot', 'save', 'one'])
    await person.shows('Overwrite it? [y/N]')
    person.type('n\r')
    expect((await person.ended).stdout).toContain('Nothing was saved.')
    await cli.json(['sandbox', 'snapshot', 'restore', 'one'])
    expect(await cli.json(['deliveries', 'list'])).toEqual([])
    await cli.json(create)
    await cli.json(['sandbox', 'snapshot', 'save', 'one', '--force'])
    await cli.json(['sandbox', 'snapshot', 'restore', 'one'])
    expect(await cli.json(['deliveries', 'list'])).toHaveLength(1)
  })

  it('lists dates and sizes', async () => {
    const cli = createCli()
    await cli.json(['sandbox', 'snapshot', 'save', 'one'])
    const { stdout } = await cli.run(['sandbox', 'snapshot', 'list'], { columns: 80, env: { NO_COLOR: '1' } })
    expect(stdout).toMatch(/NAME +SAVED +SIZE/)
    expect(stdout).toMatch(/one +\d\d:\d\d:\d\d +\d+ kB/)
    expect(await cli.json(['sandbox', 'snapshot', 'list'])).toEqual([
      { name: 'one', savedAt: expect.stringMatching(/Z$/), bytes: expect.any(Number) },
    ])
  })
})

describe('the lists of a sandbox on a terminal of 80 columns', () => {
  const sandbox = serveSandbox()
  const cli = createCli(afterAll)

  it('show ids and addresses whole', async () => {
    const env = { ...sandbox.env(), NO_COLOR: '1' }
    const url = 'http://127.0.0.1:9/a/rather/long/path/to/hooks'
    const { id } = await cli.json<{ id: string }>(['sandbox', 'endpoints', 'add', url], { env })
    await cli.json(create, { env })
    const [event] = await cli.json<{ eventId: string }[]>(['events', 'list', '--limit', '1'], { env })
    await cli.json(['sandbox', 'resend', event?.eventId ?? ''], { env })
    const shown = async (...words: string[]) => (await cli.run(['sandbox', ...words], { columns: 80, env })).stdout
    const endpoints = await shown('endpoints', 'list')
    expect(endpoints).toContain(id)
    expect(endpoints).toContain(url)
    expect(await shown('attempts')).toContain(event?.eventId)
    const [request] = await cli.json<{ requestId: string }[]>(['sandbox', 'requests'], { env })
    expect(await shown('requests')).toContain(request?.requestId)
  })
})
