import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { newSecret } from '../../src/webhooks/index.js'
import { type Cli, createCli } from '../support/cli/program.js'
import { jsonLines } from '../support/json-lines.js'
import { startTestApp } from '../support/listener/test-app.js'
import { postEvent, testEvent } from '../support/listener/test-listener.js'
import { createTestDatabase, describeOnPostgres } from '../support/postgres/database.js'
import { type RotatingService, startRotatingService } from '../support/sandbox/rotating-service.js'
import { until } from '../support/until.js'

const [secretA, secretB] = [newSecret(), newSecret()]

function add(cli: Cli, service: RotatingService, name: string, key: string, ...flags: string[]) {
  const words = ['profiles', 'add', name, '-e', 'sandbox', '--base-url', service.baseUrl, '--api-key-stdin']
  return cli.run([...words, '--no-keychain', ...flags], { stdin: key })
}

function fileOf(cli: Cli, secret: string): string {
  const file = join(cli.home, `${secret === secretA ? 'first' : 'second'}.secret`)
  writeFileSync(file, secret, { mode: 0o600 })
  return file
}

for (const place of ['a file of its own', 'a shared file', 'PostgreSQL']) {
  const run = place === 'PostgreSQL' ? describeOnPostgres : describe
  run(`a journal in ${place}`, () => {
    it('leaves the events of another account alone, and never takes its secret', async () => {
      const [cli, service, app] = [createCli(), await startRotatingService(), await startTestApp()]
      service.give('key-a', 'marketplace')
      service.give('key-b', 'ownedfleet')
      const database = place === 'PostgreSQL' ? await createTestDatabase() : undefined
      const shared = database?.address ?? join(cli.home, 'shared.db')
      const env = { ...database?.env, ...(place === 'a file of its own' ? {} : { DLV_JOURNAL: shared }) }
      const isShared = place !== 'a file of its own'
      const receive = async (secret: string, ...words: string[]) => {
        const flags = ['-P', 'acme', '--secret-file', fileOf(cli, secret), '-o', 'ndjson', ...words]
        const running = cli.start(['webhooks', 'listen', ...flags], { env })
        const ready = JSON.parse(await running.line((line) => line.includes('"ready"')))
        return { running, url: String(ready.url) }
      }
      await add(cli, service, 'acme', 'key-a')
      const first = await receive(secretA)
      const eventOfA = testEvent('del_a')
      expect(await postEvent(first.url, secretA, eventOfA)).toBe(200)
      expect((await first.running.kill()).stdout).not.toContain('"account"')

      // The profile gets the key of another account; the secret of the first is not taken for its own.
      await add(cli, service, 'acme', 'key-b', '--new-account')
      const foreign = await cli.run(['webhooks', 'listen', '-P', 'acme', '--secret-file', fileOf(cli, secretA)], {
        env,
      })
      expect(foreign).toMatchObject({
        exitCode: 2,
        stderr: expect.stringContaining('belongs to the account that was used here before'),
      })

      const second = await receive(secretB, '--forward-to', app.url)
      const eventOfB = testEvent('del_b')
      expect(await postEvent(second.url, secretB, eventOfB)).toBe(200)
      await until('the forward', () => app.arrived.length === 1)
      const { stderr } = await second.running.kill()
      const left = /also keeps 1 event of another account \(acme\), left alone/
      if (isShared) expect(stderr).toMatch(left)
      expect(app.ids()).toEqual([eventOfB.id])

      const ids = async (...flags: string[]) => {
        const { stdout, stderr } = await cli.run(['webhooks', 'log', '-P', 'acme', '-o', 'ndjson', ...flags], { env })
        if (isShared) expect(stderr).toMatch(left)
        return jsonLines(stdout).map(({ eventId }) => eventId)
      }
      expect(await ids()).toEqual([eventOfB.id])
      expect(await cli.run(['webhooks', 'log', eventOfA.id, '-P', 'acme'], { env })).toMatchObject({ exitCode: 4 })
      const resend = ['webhooks', 'resend', '-P', 'acme', '--to', app.url, '--secret-file', fileOf(cli, secretB)]
      expect(await cli.run([...resend, eventOfA.id], { env })).toMatchObject({ exitCode: 4 })
      expect(await cli.run([...resend, eventOfB.id], { env })).toMatchObject({ exitCode: 0 })
      expect(app.ids()).toEqual([eventOfB.id, eventOfB.id])

      // The first key again, under another name, finds the first account's events.
      await add(cli, service, 'bolt', 'key-a')
      const again = await cli.run(['webhooks', 'log', '-P', 'bolt', '-o', 'ndjson'], { env })
      expect(jsonLines(again.stdout).map(({ eventId }) => eventId)).toEqual([eventOfA.id])
    })
  })
}

for (const place of ['a shared file', 'PostgreSQL'])
  (place === 'PostgreSQL' ? describeOnPostgres : describe)(`a new key, and only a journal in ${place}`, () => {
    it('is asked for the deliveries of its events', async () => {
      const [cli, other, service] = [createCli(), createCli(), await startRotatingService()]
      service.give('key-a', 'marketplace')
      service.give('key-b', 'ownedfleet')
      const database = place === 'PostgreSQL' ? await createTestDatabase() : undefined
      const env = { ...database?.env, DLV_JOURNAL: database?.address ?? join(cli.home, 'shared.db') }
      const variables = { DLV_BASE_URL: service.baseUrl, DLV_API_KEY: 'key-a', DLV_ENVIRONMENT: 'sandbox' }
      const order = ['deliveries', 'create', '--file', 'examples/order.json', '-q']
      const deliveryId = (await other.run(order, { env: variables })).stdout.trim()
      await add(cli, service, 'acme', 'key-a')
      const flags = ['-P', 'acme', '--secret-file', fileOf(cli, secretA), '-o', 'ndjson']
      const running = cli.start(['webhooks', 'listen', ...flags], { env })
      const { url } = JSON.parse(await running.line((line) => line.includes('"ready"')))
      const event = testEvent(deliveryId)
      expect(await postEvent(url, secretA, event)).toBe(200)
      await running.kill()
      const logged = async () => {
        const { stdout } = await cli.run(['webhooks', 'log', '-P', 'acme', '-o', 'ndjson'], { env })
        return jsonLines(stdout).map(({ eventId }) => eventId)
      }
      // Another account does not have the delivery; a rotated key does.
      await cli.run(['profiles', 'add', 'acme', '--api-key-stdin', '--no-keychain'], { stdin: 'key-b', env })
      expect(await logged()).toEqual([])
      service.give('key-a2', 'marketplace')
      service.revoke('key-a')
      const { stderr } = await cli.run(['profiles', 'add', 'acme', '--api-key-stdin', '--no-keychain'], {
        stdin: 'key-a2',
        env,
      })
      expect(stderr).not.toContain('new account')
      expect(await logged()).toEqual([event.id])
    })
  })

describe('webhooks listen with a new key while the service is away', () => {
  it('receives as the account of its secret, and apart with a secret that is new as well', async () => {
    const [cli, service] = [createCli(), await startRotatingService()]
    service.give('key-a', 'marketplace')
    const env = { DLV_JOURNAL: join(cli.home, 'shared.db') }
    const receive = async (secret: string, event: ReturnType<typeof testEvent>) => {
      const flags = ['-P', 'acme', '--secret-file', fileOf(cli, secret), '-o', 'ndjson']
      const running = cli.start(['webhooks', 'listen', ...flags], { env })
      const ready = JSON.parse(await running.line((line) => line.includes('"ready"')))
      expect(await postEvent(ready.url, secret, event)).toBe(200)
      return (await running.kill()).stderr
    }
    const logged = async (profile: string) => {
      const { stdout } = await cli.run(['webhooks', 'log', '-P', profile, '-o', 'ndjson'], { env })
      return jsonLines(stdout).map(({ eventId }) => eventId)
    }
    await add(cli, service, 'acme', 'key-a')
    const order = ['deliveries', 'create', '--file', 'examples/order.json', '--ref', 'A-1', '-q', '-P', 'acme']
    expect((await cli.run(order)).exitCode).toBe(0)
    const [known, asked, apart] = [testEvent('del_1'), testEvent('del_2'), testEvent('del_3')]
    await receive(secretA, known)

    service.give('key-a2', 'marketplace')
    service.isDown = true
    await add(cli, service, 'acme', 'key-a2')
    expect(await receive(secretA, asked)).toContain('the secret says that this is the account "acme"')
    expect(await receive(secretB, apart)).toContain('kept as a new account')
    service.isDown = false
    // The key is asked now: it is the account's, and so is what came meanwhile.
    expect(await logged('acme')).toEqual([known.id, asked.id, apart.id])
  })
})
