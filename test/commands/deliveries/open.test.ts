import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createCli } from '../../support/cli/program.js'
import { until } from '../../support/until.js'

/** A home with one delivery, and a PATH on which the opener of the system notes what it was asked to open. */
async function withDelivery() {
  const cli = createCli()
  const { deliveryId } = await cli.json<{ deliveryId: string }>([
    ...['deliveries', 'create', '--file', 'examples/order.json'],
    ...['--ref', 'ORDER-OPEN'],
  ])
  await cli.json(['simulate', deliveryId, '--to', 'delivered'])
  const bin = join(cli.home, 'bin')
  const opened = join(cli.home, 'opened')
  mkdirSync(bin)
  for (const opener of ['xdg-open', 'open']) {
    writeFileSync(
      join(bin, opener),
      `#!/bin/sh\nprintf %s "$1" > "${opened}.part" && mv "${opened}.part" "${opened}"\n`,
    )
    chmodSync(join(bin, opener), 0o755)
  }
  return { cli, deliveryId, opened, env: { PATH: `${bin}:${cli.env.PATH}` } }
}

describe('deliveries open in the embedded sandbox', () => {
  it('serves the page on a terminal, opens it, and ends at Ctrl-C', async () => {
    const { cli, deliveryId, opened, env } = await withDelivery()
    const person = cli.startOnTerminal(['deliveries', 'open', deliveryId], { env })
    await person.shows('Serving the page until Ctrl-C.')
    const url = /http:\/\/127\.0\.0\.1:\d+\/track\/\w+/.exec(person.screen())?.[0] ?? ''
    expect(await (await fetch(url)).text()).toContain(deliveryId)
    await until('the page to be opened', () => existsSync(opened))
    expect(readFileSync(opened, 'utf8')).toBe(url)
    person.type('\u0003')
    expect((await person.ended).exitCode).toBe(130)
    await expect(fetch(url)).rejects.toThrow()
  })

  it('prints the address off a terminal and says that nobody serves it', async () => {
    const { cli, deliveryId, opened, env } = await withDelivery()
    const { stdout, stderr, exitCode } = await cli.run(['deliveries', 'open', deliveryId], { env })
    expect(exitCode).toBe(0)
    expect(stdout).toMatch(/^http:\S+\n$/)
    expect(stderr).toContain('Nobody serves this page.')
    expect(existsSync(opened)).toBe(false)
  })
})

describe('the card of a delivery of the embedded sandbox', () => {
  const card = async ({ cli, deliveryId }: Awaited<ReturnType<typeof withDelivery>>) =>
    (await cli.run(['deliveries', 'get', deliveryId], { columns: 60, env: { NO_COLOR: '1' } })).stdout

  it('breaks between words on 44 columns, and leaves only commands longer', async () => {
    const { cli, deliveryId } = await withDelivery()
    for (const words of [
      ['deliveries', 'get', deliveryId],
      ['installations', 'get', 'FTBRAGG'],
      ['explain', 'PROHIBITED_CARGO_FOR_DESTINATION'],
    ]) {
      const { stdout } = await cli.run(words, { columns: 44, env: { NO_COLOR: '1' } })
      const long = stdout.split(/\r?\n/).filter((line) => [...line].length > 44 && !line.includes('dlv '))
      expect([words, long]).toEqual([words, []])
    }
  })

  it('names commands while nobody serves its pages, and addresses while somebody does', async () => {
    const person = await withDelivery()
    const { cli, deliveryId } = person
    const alone = await card(person)
    expect(alone).toContain(`dlv deliveries open ${deliveryId}`)
    expect(alone).toContain(`dlv deliveries proof ${deliveryId} --save DIR`)
    expect(alone).not.toMatch(/https?:/)
    const served = cli.start(['sandbox', 'start', '--port', '0', '-o', 'json'])
    await served.line((line) => line.includes('ready'))
    const shown = await card(person)
    expect(shown).toMatch(/Tracking +http:\/\/127/)
    const url = /http:\S+\/track\/\w+/.exec(shown)?.[0] ?? ''
    expect((await fetch(url)).status).toBe(200)
    await served.kill('SIGTERM')
  })
})
