/**
 * `npm run pictures` makes the pictures of the README, the page's map in a browser, light and dark, and a terminal, and
 * those of the documentation, its board and its report. They come from the built program, a fixed seed and a fixed moment. It needs Chromium (`DLV_BROWSER` names another one than the
 * system's) and, for the terminal, the `script` of util-linux.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type BrowserContext, chromium } from 'playwright-core'
import { Person, pause } from './person.ts'
import { terminalSvg } from './terminal-svg.ts'

const folder = 'docs/pictures'
const columns = 108

async function pagePictures(): Promise<void> {
  const person = new Person()
  const browser = await chromium.launch({
    executablePath: process.env.DLV_BROWSER ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  })
  try {
    const badDay = ['--over', '5h', '--per-day', '9000', '--stores', '12', '--mix', 'bad-day', '--seed', '11']
    await person.run('sandbox', 'seed', ...badDay)
    const ui = person.start(['ui', '--port', '0', '-o', 'json'])
    await ui.shows('"ready"')
    // From here on the time stands still, so that ages are the same however long a picture takes.
    await person.run('sandbox', 'clock', '--scale', '0')
    const { url } = JSON.parse(ui.output().split('\n')[0] ?? '') as { url: string }
    const open = async (colorScheme: 'light' | 'dark', address: string, shown: string) => {
      const context = await browser.newContext({
        colorScheme,
        viewport: { width: 1280, height: 740 },
        deviceScaleFactor: 1.5,
        timezoneId: 'America/New_York',
      })
      const page = await context.newPage()
      await page.goto(url.replace('/ui/#', `/ui/${address}#`))
      await page.locator(shown).first().waitFor({ timeout: 120_000 })
      await pause(1_000)
      return page
    }
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await open(colorScheme, 'deliveries?view=map', '.country-frame .mark')
      writeFileSync(`${folder}/page-${colorScheme}.png`, await page.screenshot())
      await page.context().close()
    }
    for (const [name, address, shown] of [
      ['board', 'deliveries', '.card'],
      ['report', 'report?from=24h', 'iframe'],
    ] as const) {
      const page = await open('light', address, shown)
      writeFileSync(`${folder}/${name}.webp`, await webpOf(page.context(), await page.screenshot()))
      await page.context().close()
    }
  } finally {
    await browser.close()
    await person.leave()
  }
}

/** A picture as WebP, a third of the size; the browser can write it. */
async function webpOf(context: BrowserContext, png: Buffer): Promise<Buffer> {
  const page = await context.newPage()
  const address = await page.evaluate<string>(`(async () => {
    const image = new Image()
    image.src = 'data:image/png;base64,${png.toString('base64')}'
    await image.decode()
    const canvas = document.createElement('canvas')
    canvas.width = image.width
    canvas.height = image.height
    canvas.getContext('2d').drawImage(image, 0, 0)
    return canvas.toDataURL('image/webp', 0.6)
  })()`)
  return Buffer.from(address.replace(/^.*,/, ''), 'base64')
}

async function terminalPicture(): Promise<void> {
  const person = new Person()
  const app = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(200).end())
  })
  await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve))
  const port = (app.address() as AddressInfo).port
  try {
    const create = async (reference: string, ...words: string[]) => {
      const order = ['deliveries', 'create', '--file', 'examples/order.json', '--ref', reference]
      return (await person.json<{ deliveryId: string }>(...order, ...words)).deliveryId
    }
    const listen = person.start(
      ['webhooks', 'listen', '--port', '0', '--forward-to', `http://localhost:${port}/hooks`, '--no-input'],
      columns,
    )
    await listen.shows('Ready')
    // The port that readers will see, whatever else runs on this machine.
    const listenerPort = /127\.0\.0\.1:(\d+)/.exec(listen.output())?.[1] ?? '4040'
    const first = await create('ORDER-2041')
    await listen.shows(/ORDER-2041.*200/)
    const watch = person.start(['deliveries', 'watch', first], columns)
    await watch.shows('accepted')
    const second = await create('ORDER-2042')
    const steps: [delivery: string, to: string, after: string, ...words: string[]][] = [
      [first, 'driver_assigned', '3m'],
      [first, 'driver_enroute_to_pickup', '40s'],
      [second, 'driver_at_pickup', '1m'],
      [first, 'driver_at_pickup', '6m'],
      [first, 'pickup_complete', '4m'],
      [second, 'pickup_complete', '30s'],
      [first, 'driver_enroute_to_dropoff', '25s'],
      [second, 'failed', '9m', '--reason', 'recipient_unavailable'],
      [first, 'driver_at_dropoff', '8m'],
      [first, 'delivered', '2m'],
    ]
    for (const [delivery, to, after, ...words] of steps) {
      await person.run('sandbox', 'clock', 'advance', after)
      await person.run('simulate', delivery, '--to', to, '--no-intermediate', ...words)
      await listen.shows(to)
    }
    await watch.shows('delivered')
    await listen.shows(/delivered.*200/)
    await create('ORDER-2043', '--set', 'metadata.sandbox_hooks=badsig')
    await listen.shows('no signature fits')
    await pause(500)
    const shown = (output: string) =>
      output
        .replaceAll(person.home, '~')
        .replaceAll(`localhost:${port}`, 'localhost:3000')
        .replaceAll(`127.0.0.1:${listenerPort}`, '127.0.0.1:4040')
    const sessions = [
      { command: 'dlv webhooks listen --forward-to http://localhost:3000/hooks', output: shown(listen.output()) },
      { command: 'dlv deliveries watch ORDER-2041', output: shown(watch.output()) },
    ]
    writeFileSync(`${folder}/terminal.svg`, terminalSvg('dlv', sessions, columns))
  } finally {
    await person.leave()
    app.close()
  }
}

mkdirSync(folder, { recursive: true })
await terminalPicture()
await pagePictures()
