import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { type Browser, type CDPSession, chromium, type Locator, type Page } from 'playwright-core'
import type { Ground } from '../ground.ts'
import { inTurn, median, pairedRatio, timeCommand } from '../measure.ts'
import { type Outcome, type Result, round } from '../result.ts'
import { startService } from './archive.ts'

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const order = {
  pickup: { storeReference: 'STORE-001' },
  dropoff: {
    address: { line1: '418 Ramsey Street', city: 'Fayetteville', state: 'NC', postalCode: '28301' },
    contactName: 'Dana Whitfield',
    contactPhone: '+19105550147',
  },
}

/** The page in Chromium: how soon it is there and shows what happens, its size, and what it costs a listener. */
export async function measureInspector(ground: Ground): Promise<Outcome> {
  const browser = await chromium.launch({
    executablePath: process.env.DLV_BROWSER ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  })
  try {
    return {
      results: [
        ...(await measurePage(ground, browser)),
        await measureDrivers(ground, browser),
        await measureScroll(ground, browser),
        ...measureSizes(ground),
        await measureCost(ground, browser),
      ],
    }
  } finally {
    await browser.close()
  }
}

/** A sandbox without a limit, with its page. */
function startPage(ground: Ground) {
  return ground.startSandbox(join(ground.newFolder('inspector'), 'sandbox.db'), '--rate-limit', 'off', '--ui')
}

async function measurePage(ground: Ground, browser: Browser): Promise<Result[]> {
  const { child, ready } = await startPage(ground)
  const { baseUrl, apiKey, uiUrl } = ready as Record<string, string>
  const post = (path: string, body: object) =>
    fetch(`${baseUrl}${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${apiKey}`,
        'content-type': 'application/json',
        'idempotency-key': crypto.randomUUID(),
      },
      body: JSON.stringify(body),
    })
  const rounds = ground.quick ? 3 : 9
  const paints: number[] = []
  const rows: number[] = []
  const bursts: number[] = []
  for (let round = 0; round < rounds; round++) {
    const page = await openPage(browser, uiUrl ?? '', '/live')
    paints.push(await page.evaluate<number>("performance.getEntriesByName('first-contentful-paint')[0].startTime"))
    const reference = `ROW-${round}`
    const began = performance.now()
    await post('/deliveries', { ...order, clientOrderReference: reference })
    await page.getByRole('link', { name: reference }).first().waitFor()
    rows.push(performance.now() - began)
    // About 2,000 events, which reach the page together.
    bursts.push(await busyMs(page, () => seed(baseUrl ?? '', { over: '36h', perDay: 160, seed: 1 })))
    await page.context().close()
  }
  await ground.stop(child)
  return [
    row('inspector-paint', 'the page of dlv ui: first paint', 500, paints),
    row('inspector-row', 'an order created over HTTP, until its row is visible', 400, rows),
    row('inspector-burst', '2,000 events at once: time that the page’s thread works', 250, bursts),
  ]
}

/** How much of a core the page's thread takes while the map shows the drivers of a day with 500 under way in 12 markets. */
async function measureDrivers(ground: Ground, browser: Browser): Promise<Result> {
  const { child, ready } = await startPage(ground)
  const { baseUrl, uiUrl } = ready as Record<string, string>
  await seed(baseUrl ?? '', { over: '5h', perDay: 12_000, stores: 12, mix: 'bad-day', seed: 11 })
  const page = await openPage(browser, uiUrl ?? '', '/deliveries?view=map')
  const underWay = await underWayIn(page.locator('.heading'))
  if (!(underWay >= 500)) throw new Error(`the map shows ${underWay} under way`)
  const country = await shareOfCore(ground, page)
  await page.getByRole('navigation', { name: 'Markets' }).getByRole('link').first().click()
  await page.locator('.market-driver').first().waitFor()
  const inMarket = await underWayIn(page.getByRole('heading', { level: 2 }))
  const market = await shareOfCore(ground, page)
  await page.context().close()
  await ground.stop(child)
  const percent = (share: number) => `${round(share * 100, 1)} %`
  return {
    id: 'inspector-drivers',
    aim: 'the map with 500 drivers and more on their way: share of a core that the page’s thread takes, country and market',
    bar: '< 10 %',
    measured: `${percent(country)} and ${percent(market)} (${underWay.toLocaleString('en')} under way, ${inMarket} in the market)`,
    values: { country, market, underWay, inMarket },
    met: Math.max(country, market) < 0.1,
  }
}

/** The most time of a core that a task of the page's thread took, in milliseconds; what else the machine did is no part of it. */
async function longestTask(page: Page, run: () => Promise<void>): Promise<number> {
  const session = await page.context().newCDPSession(page)
  const events: { name: string; pid: number; tid: number; tdur?: number; args: { name?: string } }[] = []
  session.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as typeof events)))
  await session.send('Tracing.start', { traceConfig: { includedCategories: ['toplevel'] } })
  await run()
  const complete = new Promise((resolve) => session.once('Tracing.tracingComplete', resolve))
  await session.send('Tracing.end')
  await complete
  const threadOf = ({ pid, tid }: { pid: number; tid: number }) => `${pid} ${tid}`
  const threads = new Set(events.filter(({ args }) => args.name === 'CrRendererMain').map(threadOf))
  const tasks = events.filter((event) => event.name.endsWith('RunTask') && threads.has(threadOf(event)))
  return tasks.reduce((most, { tdur = 0 }) => Math.max(most, tdur / 1_000), 0)
}

async function underWayIn(place: Locator): Promise<number> {
  const text = await place
    .getByText(/^[\d,]+ under way$/)
    .first()
    .textContent()
  return Number.parseInt(text?.replace(',', '') ?? '', 10)
}

async function shareOfCore(ground: Ground, page: Page): Promise<number> {
  const session = await threadSession(page)
  const shares: number[] = []
  for (let round = 0; round < (ground.quick ? 1 : 3); round++) {
    const before = await taskSeconds(session)
    await page.waitForTimeout(sampleMs)
    shares.push(((await taskSeconds(session)) - before) / (sampleMs / 1_000))
  }
  return median(shares)
}

/** The frames of the list while a wheel turns from the first delivery of the archive to the last, pages and all. */
async function measureScroll(ground: Ground, browser: Browser): Promise<Result> {
  const deliveries = ground.quick ? 2_000 : 100_000
  const service = await startService(ground, deliveries, '--brief')
  await timeCommand(service.dlv(['sync', '--timeout', '30m']))
  const ui = await ground.startCommand(service.dlv(['ui', '--port', '0', '-o', 'json']))
  const page = await openPage(browser, String(ui.ready.url), '/deliveries?view=list')
  await page.locator('.list').hover()
  await page.evaluate(`window.frames = []; const note = (at) => { window.frames.push(at); requestAnimationFrame(note) }
    requestAnimationFrame(note)`)
  const last = page.locator(`.list tr[aria-rowindex="${deliveries + 1}"]`)
  const work = await longestTask(page, async () => {
    while ((await last.count()) === 0) await page.mouse.wheel(0, 4_000)
  })
  const frames = await page.evaluate<number[]>('window.frames')
  await page.context().close()
  await ground.stop(ui.child)
  await ground.stop(service.child)
  const gaps = frames.slice(1).map((at, index) => at - (frames[index] ?? at))
  const longest = Math.max(...gaps)
  const slow = gaps.filter((gap) => gap > 50).length
  return {
    id: 'inspector-scroll',
    aim: `scrolling the list through ${deliveries.toLocaleString('en')} deliveries: its longest frame`,
    bar: '≤ 50 ms',
    measured: `${round(longest, 0)} ms (${slow} of ${gaps.length.toLocaleString('en')} over 50 ms; the page’s thread worked ${round(work, 0)} ms at most)`,
    values: { longest, slow, frames: gaps.length, work },
    met: longest <= 50,
  }
}

const sampleMs = 10_000

/** Counts the time of a core that the page's thread takes, and not for how long it was kept from one. */
async function threadSession(page: Page): Promise<CDPSession> {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  return session
}

/** How long the thread of a page has been busy, in seconds. */
async function taskSeconds(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics')
  return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN
}

/** Writes past deliveries in one call. */
async function seed(baseUrl: string, history: object): Promise<void> {
  const response = await fetch(`${new URL(baseUrl).origin}/_sandbox/seed`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(history),
  })
  if (!response.ok) throw new Error(`seed: ${response.status} ${await response.text()}`)
}

/**
 * How long the page's thread was busy, short tasks and layout included, from before something happened until all lines
 * were drawn and the thread was idle again.
 */
async function busyMs(page: Page, happen: () => Promise<void>): Promise<number> {
  const session = await threadSession(page)
  const busy = async () => (await taskSeconds(session)) * 1_000
  await page.evaluate(`window.drawnMs = 0; new MutationObserver(() => { window.drawnMs = performance.now() })
    .observe(document.querySelector('main'), { childList: true, characterData: true, subtree: true })`)
  const before = await busy()
  await happen()
  // The lines come in two or three messages, the last of them after a pause.
  const isDone = () => page.evaluate<boolean>('window.drawnMs > 0 && performance.now() - window.drawnMs > 3000')
  while (!(await isDone())) await page.waitForTimeout(500)
  const after = await busy()
  const rows = await page.getByRole('row').count()
  if (rows < 100 || (await page.getByText('2,000 lines', { exact: true }).count()) === 0)
    throw new Error(`the page has not drawn the burst: ${rows} rows`)
  return after - before
}

async function openPage(browser: Browser, url: string, path: string): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
  const page = await context.newPage()
  await page.goto(url.replace('/ui/#', `/ui${path}#`))
  await page.getByText('live', { exact: true }).waitFor()
  return page
}

function measureSizes(ground: Ground): Result[] {
  const folder = join(ground.project, 'dist', 'ui')
  const packed = (pattern: string) =>
    globSync(pattern, { cwd: folder }).reduce(
      (sum, file) => sum + gzipSync(readFileSync(join(folder, file)), { level: 9 }).length / 1_000,
      0,
    )
  const map = packed('*map*')
  const [script, styles, all] = [packed('*.js') - packed('*map*.js'), packed('*.css'), packed('*')]
  return [
    {
      id: 'inspector-size',
      aim: 'the page, packed with gzip: script, styles, map, all files',
      bar: '≤ 55 / 6 / 20 / 90 kB',
      measured: `${[script, styles, map, all].map((size) => round(size, 1)).join(' / ')} kB`,
      values: { script, styles, map, all },
      met: script <= 55 && styles <= 6 && map <= 20 && all <= 90,
    },
  ]
}

/** The rate of a listener with a page that shows every event, compared with one that nobody watches. */
async function measureCost(ground: Ground, browser: Browser): Promise<Result> {
  // The page is live only while a service is read; this one has nothing to tell.
  const service = await ground.startSandbox(':memory:')
  const env = {
    DLV_WEBHOOK_SECRET: secret,
    DLV_NO_INPUT: '1',
    DLV_BASE_URL: String(service.ready.baseUrl),
    DLV_API_KEY: String(service.ready.apiKey),
  }
  const listener = await ground.startCommand(
    ground.dlv(['webhooks', 'listen', '--port', '0', '--ui', '-o', 'ndjson'], env),
  )
  const { url, uiUrl } = listener.ready as Record<string, string>
  let run = 0
  const load = async () => {
    const words = [url ?? '', ground.quick ? '8000' : '40000', '64', `u${++run}`]
    return Number((await ground.load('webhook-load.mjs', words, env)).perSecond)
  }
  const watched = async () => {
    const page = await openPage(browser, uiUrl ?? '', '/live')
    const rate = await load()
    await page.context().close()
    return rate
  }
  const [withPage = [], without = []] = await inTurn(ground.quick ? 3 : 5, [watched, load])
  await ground.stop(listener.child)
  await ground.stop(service.child)
  const compared = pairedRatio(withPage, without)
  return {
    id: 'inspector-listener',
    aim: 'rate of a listener with a page open vs. without',
    bar: '≥ 0.95 ×',
    measured: `${round(compared.ratio)} × (${round(median(withPage), 0).toLocaleString('en')} per second)`,
    values: { ...compared },
    faster: 'larger',
    met: compared.ratio >= 0.95,
  }
}

function row(id: string, aim: string, mostMs: number, figures: readonly number[]): Result {
  const typical = median(figures)
  return {
    id,
    aim,
    bar: `< ${mostMs} ms`,
    measured: `${round(typical, 0)} ms`,
    values: { ms: typical },
    met: typical < mostMs,
  }
}
