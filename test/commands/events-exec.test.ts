import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startJsonServer } from '../support/cli/json-server.js'
import { type Cli, createCli } from '../support/cli/program.js'
import { jsonLines } from '../support/json-lines.js'
import { until } from '../support/until.js'

const reference = "$(touch hacked); 'O'Brien\" <b>&"

/** A delivery that was advanced to its end, whose reference is not fit for a shell. */
async function delivered(cli: Cli, ref = reference): Promise<string> {
  const order = ['deliveries', 'create', '--file', 'examples/order.json', '--ref', ref]
  const { deliveryId } = await cli.json<{ deliveryId: string }>(order)
  await cli.json(['simulate', deliveryId, '--to', 'delivered'])
  return deliveryId
}

const linesOf = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [])

describe('events tail --exec', () => {
  it('runs a command for each event, one after the other, with the event as its input, and again if it fails', async () => {
    const cli = createCli()
    const deliveryId = await delivered(cli)
    const [seen, body] = [join(cli.home, 'seen'), join(cli.home, 'body')]
    const command = `cat > ${body}; echo "$DLV_EVENT_TYPE $DLV_DELIVERY_ID $DLV_EVENT_ID" >> ${seen}; echo told; test $(grep -c "$DLV_EVENT_ID" ${seen}) = 3 || exit 3`
    const words = ['events', 'tail', '--since', '1h', '--delivery', deliveryId, '-o', 'ndjson', '--exec', command]
    const tail = cli.startProcess([...words, '--type', 'accepted', '--type', 'delivered'], { cwd: cli.home })
    await until('the second tries', () => tail.errors().match(/ended with 3 for evt_.* again in 5s/g)?.length === 2)
    expect(tail.errors().match(/ended with 3 for evt_.* again in 1s/g)).toHaveLength(2)
    const { exitCode, stdout } = await tail.kill('SIGINT')
    expect(exitCode).toBe(130)
    expect(tail.errors()).toContain('told')
    const events = jsonLines(stdout)
    expect(tail.errors().match(/It was not tried again\./g)).toHaveLength(2)
    const lines = events.map(({ eventType, eventId }) => `${eventType} ${deliveryId} ${eventId}`)
    expect(linesOf(seen)).toEqual([...lines, ...lines])
    expect(JSON.parse(readFileSync(body, 'utf8'))).toEqual(events[1])
    expect(existsSync(join(cli.home, 'hacked'))).toBe(false)
  })

  it('does not listen for its exit once more with each command that leaves something running', async () => {
    const cli = createCli()
    await delivered(cli)
    await delivered(cli, 'OTHER-1')
    const seen = join(cli.home, 'seen')
    const words = ['events', 'tail', '--since', '1h', '-o', 'ndjson', '--exec', `sleep 30 & echo . >> ${seen}`]
    const tail = cli.startProcess(words, { cwd: cli.home })
    await until('twelve commands', () => linesOf(seen).length >= 12)
    await tail.kill('SIGINT')
    expect(tail.errors()).not.toContain('MaxListeners')
  })

  it('continues after a command that reads nothing of its input', async () => {
    const cli = createCli()
    const deliveryId = await delivered(cli)
    const seen = join(cli.home, 'seen')
    const words = [
      'events',
      'tail',
      '--since',
      '1h',
      '--delivery',
      deliveryId,
      '--exec',
      `exec 0<&-; echo x >> ${seen}`,
    ]
    const tail = cli.startProcess(words)
    await until('all commands', () => linesOf(seen).length >= 8)
    expect((await tail.kill('SIGINT')).exitCode).toBe(130)
  })
})

describe('events tail --exec and --notify, whatever the service sends', () => {
  it('go on after ids that no program can be given, and leave nothing behind for each command', async () => {
    const cli = createCli()
    const bin = join(cli.home, 'bin')
    mkdirSync(bin)
    writeFileSync(join(bin, 'notify-send'), '#!/bin/sh\n', { mode: 0o755 })
    const ids = ['evt_a\0b', `evt_${'x'.repeat(200_000)}`, ...Array.from({ length: 12 }, (_, at) => `evt_${at}`)]
    const timestamp = new Date().toISOString()
    const events = ids.map((eventId) => ({
      eventId,
      eventType: 'delivery.accepted',
      timestamp,
      deliveryId: 'del_1\0',
      data: { delivery: { deliveryId: 'del_1', clientOrderReference: `R\0${'x'.repeat(200_000)}` } },
    }))
    for (const event of events.slice(1)) event.deliveryId = 'del_1'
    const service = await startJsonServer((path) =>
      path.startsWith('/events')
        ? JSON.stringify({ events, cursor: null, hasMore: false })
        : JSON.stringify({ status: 'healthy', checkedAt: timestamp }),
    )
    const seen = join(cli.home, 'seen')
    const env = { ...service.env, PATH: `${bin}:${process.env.PATH}`, DISPLAY: ':0' }
    const words = ['events', 'tail', '--since', '1h', '--notify', '--exec', `echo "$DLV_EVENT_ID" >> ${seen}`]
    const tail = cli.startProcess(words, { env })
    await until('all commands', () => linesOf(seen).length === 12)
    const { exitCode, stderr } = await tail.kill('SIGHUP')
    expect(exitCode).toBe(129)
    expect(stderr.match(/--exec was not run for evt_[ab]+ \(delivery.accepted\): .*a NUL cannot be/g)).toHaveLength(1)
    expect(stderr).toContain('its variables are longer than the system allows')
    expect(linesOf(seen)).toEqual(ids.slice(2))
    expect(stderr).not.toContain('MaxListeners')
    service.close()
  })
})

describe('events tail --notify', () => {
  it('hands texts to the desktop as arguments, one for what comes together', async () => {
    const cli = createCli()
    const deliveryId = await delivered(cli)
    const bin = join(cli.home, 'bin')
    const said = join(cli.home, 'said')
    mkdirSync(bin)
    for (const name of ['notify-send', 'osascript']) {
      writeFileSync(join(bin, name), `#!/bin/sh\nprintf '%s\\n' "$@" >> ${said}\n`)
      chmodSync(join(bin, name), 0o755)
    }
    const env = { PATH: `${bin}:${process.env.PATH}`, DISPLAY: ':0' }
    const words = ['events', 'tail', '--since', '1h', '--delivery', deliveryId, '--type', 'accepted', '--notify']
    const tail = cli.start(words, { env, cwd: cli.home })
    await until('a notification', () => linesOf(said).length >= 4)
    await tail.kill('SIGINT')
    expect(linesOf(said)).toContain(`accepted ${reference}`)
    expect(existsSync(join(cli.home, 'hacked'))).toBe(false)
  })

  it('is said by the terminal if there is no desktop, and refused if there is neither', async () => {
    const cli = createCli()
    await delivered(cli)
    const env = { PATH: '/nonexistent' }
    const refused = await cli.run(['events', 'tail', '--notify'], { env })
    expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--notify needs a desktop') })
    const tail = cli.start(['events', 'tail', '--since', '1h', '--type', 'delivered', '--notify'], { env, columns: 80 })
    await tail.hasPrinted('Brien')
    const { exitCode, stdout } = await tail.kill('SIGINT')
    expect(exitCode).toBe(130)
    expect(stdout).toContain('\u001b]9;delivered $(touch')
  })
})
