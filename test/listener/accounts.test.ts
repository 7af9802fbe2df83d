import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readJournal, startListener } from '../../src/listener/index.js'
import { newSecret } from '../../src/webhooks/index.js'
import { startHttpServer } from '../support/http-server.js'
import { launchListener, postEvent, testEvent } from '../support/listener/test-listener.js'
import { createTempDir } from '../support/temp-dir.js'

const [ofAcme, ofBolt, ofCargo] = [newSecret(), newSecret(), newSecret()]
const secrets = [
  { name: 'main', secret: ofAcme, account: 'acme' },
  { name: 'main', secret: ofBolt, account: 'bolt' },
  { name: 'old', secret: ofCargo, account: 'bolt' },
]

/** What a target was posted, by the account in its path. */
async function startTarget() {
  const taken: string[] = []
  const url = await startHttpServer((request, response) => {
    taken.push(`${request.url} ${request.headers['webhook-id']}`)
    request.resume()
    response.end()
  })
  return { url, taken }
}

function filesApart() {
  const folder = createTempDir()
  return { acme: join(folder, 'acme.db'), bolt: join(folder, 'bolt.db') }
}

for (const kind of ['shared', 'apart'] as const)
  it(`Several accounts at one address, their journals ${kind}: an event is its account's, and so is its forward`, async () => {
    const target = await startTarget()
    const journal = kind === 'apart' ? filesApart() : join(createTempDir(), 'all.db')
    const routes = [
      { url: `${target.url}/all` },
      { url: `${target.url}/acme`, account: 'acme' },
      { url: `${target.url}/bolt`, account: 'bolt', eventTypes: ['delivery.*'] },
    ]
    const listener = await launchListener({ secrets, journal, forward: { routes } })
    const event = testEvent('del_1')
    // One id from two accounts is two events; the same from one is a duplicate.
    for (const secret of [ofAcme, ofBolt, ofAcme, ofCargo])
      expect(await postEvent(listener.url, secret, event)).toBe(200)
    expect(await postEvent(listener.url, newSecret(), event)).toBe(401)
    await listener.forwarded()

    expect(
      listener
        .recordsOf('event')
        .map(({ account, secret, secretNumber, secretCount, duplicate }) => [
          account,
          secret,
          secretNumber,
          secretCount,
          duplicate,
        ]),
    ).toEqual([
      ['acme', 'main', 1, 1, false],
      ['bolt', 'main', 1, 2, false],
      ['acme', 'main', 1, 1, true],
      ['bolt', 'old', 2, 2, true],
    ])
    expect(target.taken.toSorted()).toEqual(['/acme', '/all', '/all', '/bolt'].map((path) => `${path} ${event.id}`))
    expect(listener.countBySecret()).toEqual([
      { account: 'acme', name: 'main', verified: 2 },
      { account: 'bolt', name: 'main', verified: 1 },
      { account: 'bolt', name: 'old', verified: 1 },
    ])
    for (const account of ['acme', 'bolt']) {
      const kept = await listener.get(event.id, account)
      expect(kept).toMatchObject({ account, repeats: 1 })
      if (kept !== undefined) expect(await listener.forwardsOf(kept)).toHaveLength(2)
      await listener.setCursor(`position-${account}`, account, false, account)
      expect(await listener.cursor(`position-${account}`, account)).toBe(account)
    }
    target.taken.splice(0)
    expect(await listener.resend(event.id, 'bolt')).toBe(2)
    expect(target.taken.toSorted()).toEqual(['/all', '/bolt'].map((path) => `${path} ${event.id}`))
    await listener.close()

    const files = typeof journal === 'string' ? [journal] : Object.values(journal)
    const kept: string[] = []
    for (const file of files) {
      const reader = await readJournal(file)
      for await (const { account, id } of reader.list()) kept.push(`${account} ${id}`)
      await reader.close()
    }
    expect(kept).toEqual([`acme ${event.id}`, `bolt ${event.id}`])
  })

it('What nobody could tell apart is refused at the start, and leaves no file locked', async () => {
  const journal = filesApart()
  const start = (options: Partial<Parameters<typeof startListener>[0]>) =>
    startListener({ secrets, journal, ...options })
  const twice = [...secrets, { name: 'copy', secret: ofAcme, account: 'bolt' }]
  await expect(start({ secrets: twice })).rejects.toThrow('"copy" of account bolt is also "main" of account acme')
  const one = join(createTempDir(), 'one.db')
  for (const [wrong, message] of [
    [{ acme: one }, 'the account "bolt" has no journal'],
    [{ acme: one, bolt: one }, 'each account needs a file of its own'],
    [{ acme: one, bolt: 'postgres://localhost/dlv' }, 'each account needs a file of its own'],
    [{}, 'needs a journal'],
  ] as const)
    await expect(start({ journal: wrong })).rejects.toThrow(message)

  const busy = await launchListener({ secrets: secrets.slice(1), journal: { bolt: journal.bolt } })
  await expect(start({})).rejects.toThrow('in use by process')
  await busy.close()
  await (await start({})).close()
})
