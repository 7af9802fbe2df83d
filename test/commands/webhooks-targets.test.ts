import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openJournal } from '../../src/listener/index.js'
import { createCli } from '../support/cli/program.js'
import { startTestApp } from '../support/listener/test-app.js'
import { launchListener, postEvent, testEvent } from '../support/listener/test-listener.js'
import { createTestDatabase, describeOnPostgres } from '../support/postgres/database.js'
import { createTempDir } from '../support/temp-dir.js'
import { until } from '../support/until.js'

const gone = 'http://127.0.0.1:9/gone'
const other = 'http://127.0.0.1:9/other'
const targets = [gone, other] as const

interface Place {
  journal: string
  env: NodeJS.ProcessEnv
}

/** A journal with two targets, for each of which two events wait; nobody forwards any more. */
async function journalWithTargets(
  { journal: place, env }: Place,
  [gone, other]: readonly [string, string] = targets,
): Promise<void> {
  const journal = await openJournal(place, {}, env)
  const nobody = { onChange: () => {}, onWithdrawn: () => {} }
  await journal.forwards.join([{ url: gone, eventTypes: ['driver.*', 'delivery.a_b'] }, { url: other }], nobody)
  await journal.forwards.leave()
  for (const id of ['evt_1', 'evt_2'])
    await journal.append({
      id,
      source: 'webhook',
      receivedAtMs: Date.now(),
      timestampSeconds: Math.floor(Date.now() / 1_000),
      secret: 'test',
      rawHeaders: [],
      body: Buffer.from('{}'),
      eventType: 'driver.created',
      deliveryId: 'del_1',
      forwardTo: [gone, other],
    })
  await journal.close()
}

const engines = [
  {
    engine: 'a file',
    run: describe,
    place: async (): Promise<Place> => ({ journal: join(createTempDir(), 'journal.db'), env: {} }),
    isShared: false,
  },
  {
    engine: 'PostgreSQL',
    run: describeOnPostgres,
    place: async (): Promise<Place> => {
      const { address, env } = await createTestDatabase()
      return { journal: address, env }
    },
    isShared: true,
  },
]

for (const { engine, run, place, isShared } of engines)
  run(`webhooks targets of a journal in ${engine}`, () => {
    it('are listed with what waits, and one is removed only after a confirmation', async () => {
      const at = await place()
      await journalWithTargets(at)
      const cli = createCli()
      const options = { env: { ...at.env, DLV_JOURNAL: at.journal } }
      const listed = () => cli.json(['webhooks', 'targets', 'list'], options)
      const named = (eventTypes: string[]) =>
        isShared
          ? { eventTypes, active: true, namedAt: expect.any(String) }
          : { eventTypes: null, active: null, namedAt: null }
      const waits = { pending: 2, oldestSeconds: expect.any(Number), givenUp: 0 }
      expect(await listed()).toEqual([
        { url: gone, ...named(['delivery.a_b', 'driver.*']), ...waits },
        { url: other, ...named(['*']), ...waits },
      ])

      const asked = await cli.run(['webhooks', 'targets', 'remove', gone], options)
      expect(asked.exitCode).toBe(2)
      expect(asked.stderr).toContain(`Remove ${gone} and give up 2 events that wait for it?`)
      expect(asked.stderr).toContain('--yes')
      expect(asked.stderr.includes('within the last hour')).toBe(isShared)
      expect(await listed()).toHaveLength(2)

      expect(await cli.json(['webhooks', 'targets', 'remove', gone, '--yes'], options)).toEqual({
        url: gone,
        givenUp: 2,
      })
      expect(await listed()).toMatchObject([
        ...(isShared ? [] : [{ url: gone, pending: 0, oldestSeconds: null }]),
        { url: other, pending: 2 },
      ])
      const event = await cli.json(['webhooks', 'log', 'evt_1'], options)
      expect(event.forwards).toMatchObject([
        { url: gone, state: 'given-up' },
        { url: other, state: 'pending' },
      ])
    })

    it('that differ in their query have names of their own, and one name never means two', async () => {
      const at = await place()
      const script = 'http://127.0.0.1:9/i.php'
      await journalWithTargets(at, [`${script}?task=c&key=k59`, `${script}?task=d&key=k59`])
      const cli = createCli()
      const options = { env: { ...at.env, DLV_JOURNAL: at.journal } }
      const listed = () => cli.json<{ url: string; pending: number }[]>(['webhooks', 'targets', 'list'], options)
      const [one, two] = await listed()
      expect([one, two]).toMatchObject([{ pending: 2 }, { pending: 2 }])
      const names = [one?.url ?? '', two?.url ?? '']
      for (const name of names) expect(name).toMatch(/^http:\/\/127\.0\.0\.1:9\/i\.php#[0-9a-f]{6}$/)
      expect(names[0]).not.toBe(names[1])
      const { pending } = await cli.json<{ pending: { url: string; count: number }[] }>(['webhooks', 'status'], options)
      expect(pending.map(({ url, count }) => [url, count]).toSorted()).toEqual(
        names.map((name) => [name, 2]).toSorted(),
      )

      const remove = (...words: string[]) => cli.run(['webhooks', 'targets', 'remove', ...words, '--yes'], options)
      const both = await remove(script)
      expect([both.exitCode, both.stderr]).toEqual([2, expect.stringContaining('means 2 targets')])
      for (const name of names) expect(both.stderr).toContain(name)
      for (const word of [`${script}#000000`, `${script}?task=e`]) expect((await remove(word)).exitCode).toBe(2)
      expect((await remove(names[0] ?? '')).exitCode).toBe(0)
      expect((await listed()).map(({ url, pending }) => [url, pending])).toEqual(
        [...(isShared ? [] : [[names[0], 0]]), [names[1], 2]].toSorted(),
      )
      // The name is no address: without its query, it would be another receiver.
      const resent = await cli.run(['webhooks', 'resend', 'evt_1', '--to', names[1] ?? ''], options)
      expect([resent.exitCode, resent.stderr]).toEqual([2, expect.stringContaining('is the name of a target')])
      expect((await remove(`${script}?task=d&key=k59`)).exitCode).toBe(0)
      expect((await listed()).every(({ pending }) => pending === 0)).toBe(true)
    })

    it('are named if another one is to be removed', async () => {
      const at = await place()
      await journalWithTargets(at)
      const unknown = await createCli().run(['webhooks', 'targets', 'remove', 'http://127.0.0.1:9/', '-y'], {
        env: { ...at.env, DLV_JOURNAL: at.journal },
      })
      expect(unknown.exitCode).toBe(2)
      expect(unknown.stderr).toContain('http://127.0.0.1:9/ is not a target of this journal.')
      expect(unknown.stderr).toContain(`${gone}, ${other}`)
    })
  })

describe('webhooks targets remove', () => {
  it('waits for no listener that holds the file, and names it', async () => {
    const file = join(createTempDir(), 'journal.db')
    await journalWithTargets({ journal: file, env: {} })
    const listener = await openJournal(file)
    const refused = await createCli().run(['webhooks', 'targets', 'remove', gone, '--yes', '--journal', file])
    await listener.close()
    expect(refused.exitCode).toBe(2)
    expect(refused.stderr).toContain(`is in use by process ${process.pid}`)
  })
})

describeOnPostgres('a target that no forwarder has named for a week', () => {
  it('is not active, gets nothing new, and is forgotten without a question once nothing waits', async () => {
    const { address, env, sql } = await createTestDatabase()
    await journalWithTargets({ journal: address, env })
    await sql("UPDATE dlv.targets SET named_at = now() - interval '8 days' WHERE url = $1", [gone])
    await sql("UPDATE dlv.forwards SET state = 'delivered' WHERE url = $1", [gone])
    const cli = createCli()
    const options = { env: { ...env, DLV_JOURNAL: address } }
    expect(await cli.json(['webhooks', 'targets', 'list', '--jq', '[.[] | {url, active, pending}]'], options)).toEqual([
      { url: gone, active: false, pending: 0 },
      { url: other, active: true, pending: 2 },
    ])
    const removed = await cli.run(['webhooks', 'targets', 'remove', gone, '--json'], options)
    expect({ ...removed, stdout: JSON.parse(removed.stdout) }).toMatchObject({
      exitCode: 0,
      stdout: { url: gone, givenUp: 0 },
      stderr: '',
    })
    expect(await sql('SELECT url FROM dlv.targets')).toEqual([{ url: other }])
  })
})

for (const { engine, run, place } of engines)
  run(`webhooks that a target refused, in ${engine}`, () => {
    it('hold back their own delivery only, which the printed command sends once it is repaired', async () => {
      const at = await place()
      const journaled = await launchListener({ journal: at.journal, env: at.env })
      const names = ['del_a', 'del_b', 'del_a', 'del_c', 'del_b']
      const events = names.map((name) => testEvent(name))
      for (const event of events) await postEvent(journaled.url, journaled.secret, event)
      const [broken, second, later, third, last] = events.map(({ id }) => id)
      let isRepaired = false
      const app = await startTestApp(({ id }, response) => {
        response.statusCode = !isRepaired && id === broken ? 422 : 200
        response.end()
      })
      const cli = createCli()
      const options = { env: { ...at.env, DLV_JOURNAL: at.journal, DLV_WEBHOOK_SECRET: journaled.secret } }
      const stdin = `${events.map(({ id }) => id).join('\n')}\n`
      const sent = await cli.run(
        ['webhooks', 'resend', '-', '--to', app.url, '-o', 'csv', '--columns', 'eventId,outcome'],
        {
          ...options,
          stdin,
        },
      )
      expect(sent.exitCode).toBe(9)
      expect(sent.stdout.trim().split('\n').slice(1)).toEqual([
        `${broken},failed`,
        `${second},delivered`,
        `${later},held`,
        `${third},delivered`,
        `${last},delivered`,
      ])
      expect(sent.stderr).toContain(`${broken} failed at ${app.url}: the receiver answered 422.`)
      expect(sent.stderr).toContain('1 later event of the same delivery is held back')
      const again = `dlv webhooks resend ${broken} ${later} --to ${app.url}`
      expect(sent.stderr).toContain(again)
      isRepaired = true
      app.arrived.length = 0
      expect(await cli.run(again.split(' ').slice(1), options)).toMatchObject({ exitCode: 0 })
      expect(app.ids()).toEqual([broken, later])
    })

    it('end a resend if the receiver is down, since no other delivery would reach it', async () => {
      const at = await place()
      const journaled = await launchListener({ journal: at.journal, env: at.env })
      const events = ['del_a', 'del_b'].map((name) => testEvent(name))
      for (const event of events) await postEvent(journaled.url, journaled.secret, event)
      const [first, second] = events.map(({ id }) => id)
      const options = { env: { ...at.env, DLV_JOURNAL: at.journal, DLV_WEBHOOK_SECRET: journaled.secret } }
      const words = ['webhooks', 'resend', `${first}`, `${second}`, '--to', 'http://127.0.0.1:9/', '-q']
      const down = await createCli().run(words, options)
      expect(down).toMatchObject({ exitCode: 9, stdout: `${first}\n` })
      expect(down.stderr).toContain(
        `2 not sent. Once http://127.0.0.1:9/ takes them: dlv webhooks resend ${first} ${second}`,
      )
    })

    it('are counted and listed, all sent again by one command, and delivered from then on', async () => {
      const at = await place()
      let isRepaired = false
      const app = await startTestApp((_, response) => {
        response.statusCode = isRepaired ? 200 : 422
        response.end()
      })
      const forward = { routes: [{ url: app.url }], retryDelaysMs: [1] }
      const listener = await launchListener({ journal: at.journal, env: at.env, forward })
      const events = Array.from({ length: 60 }, () => testEvent('del_1'))
      for (const event of events) await postEvent(listener.url, listener.secret, event)
      const lost = () => listener.recordsOf('forwarded').filter(({ givenUp }) => givenUp)
      await until('every event given up', () => lost().length === events.length)

      const cli = createCli()
      const options = { env: { ...at.env, DLV_JOURNAL: at.journal, DLV_WEBHOOK_SECRET: listener.secret } }
      const json = (...words: string[]) => cli.json(['webhooks', ...words], options)
      expect(await json('status')).toMatchObject({ pending: [], givenUp: [{ url: app.url, count: 60 }] })
      expect(await json('targets', 'list')).toMatchObject([{ url: app.url, pending: 0, givenUp: 60 }])
      const listed = await cli.run(['webhooks', 'log', '--given-up', '-q'], options)
      expect(listed.stdout.trim().split('\n')).toEqual(events.map(({ id }) => id))

      isRepaired = true
      expect(await listener.resend(events[0]?.id ?? '')).toBe(1)
      const resend = ['webhooks', 'resend', '-', '--to', app.url]
      const sent = await cli.run(resend, {
        ...options,
        stdin: events
          .slice(0, 10)
          .map(({ id }) => `${id}\n`)
          .join(''),
      })
      expect(sent).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('10 delivered') })
      expect(await json('status')).toMatchObject({ givenUp: [{ url: app.url, count: 50 }] })
      expect(await json('log', events[0]?.id ?? '')).toMatchObject({ forwards: [{ state: 'delivered' }] })
      const elsewhere = await startTestApp()
      await cli.run(['webhooks', 'resend', events[10]?.id ?? '', '--to', elsewhere.url], options)
      expect(await json('status')).toMatchObject({ givenUp: [{ url: app.url, count: 50 }] })
    })
  })
