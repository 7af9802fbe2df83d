import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'

/** The system's browser, without its window if there is that, which costs less; `DLV_BROWSER` names another one. */
const executable = [
  process.env.DLV_BROWSER,
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find((file) => file !== undefined && existsSync(file))

/** A page with what it did that it must not do: requests beyond its server, and messages in the console. */
interface WatchedPage {
  page: Page
  /** Fails if the page asked anybody but its own server, or wrote to the console. */
  isClean(): void
}

type OpenPage = (url: string) => Promise<WatchedPage>

/**
 * Tests in a real browser, one for the worker. Without a browser they are skipped by name, and
 * fail under `DLV_REQUIRE_BROWSER=1`.
 */
export function describeInBrowser(name: string, tests: (open: OpenPage) => void): void {
  if (executable === undefined && process.env.DLV_REQUIRE_BROWSER === '1') {
    it(`${name}: needs a browser`, () => {
      throw new Error('There is no Chromium: install it, or name one with DLV_BROWSER.')
    })
    return
  }
  describe.skipIf(executable === undefined)(executable === undefined ? `${name} (needs Chromium)` : name, () => {
    let browser: Browser | undefined
    beforeAll(async () => {
      browser = await startedBrowser()
    })
    afterAll(async () => {
      if (shared !== undefined) await leave(await shared)
    })
    tests(async (url) => {
      if (browser === undefined) throw new Error('The browser was not started.')
      return openPage(browser, url)
    })
  })
}

let started: Promise<Browser> | undefined

/**
 * The browser of this worker: it is started by the first file that needs one, and ends with the worker. All its pages
 * are one site and share a process; those that follow each other in one page, too.
 */
function startedBrowser(): Promise<Browser> {
  started ??= chromium.launch({
    executablePath: executable ?? '',
    args: [
      ...['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-dev-shm-usage'],
      ...['--process-per-site', '--disable-site-isolation-trials'],
    ],
  })
  return started
}

const viewport = { width: 1280, height: 900 }
const followed = ['request', 'console', 'pageerror', 'dialog'] as const
let shared: Promise<Page> | undefined

/**
 * The page of this worker: a new one, or one loaded anew, costs more than what a test does with it. Tests share nothing
 * in it: the inspector stores nothing, each file serves its own origin, and what a test has set is reset after it.
 */
async function sharedPage(browser: Browser): Promise<Page> {
  shared ??= browser.newContext({ viewport, timezoneId: 'UTC' }).then((context) => {
    // As patient as `expect.poll`, also in pages that a test opens beside this one.
    context.setDefaultTimeout(40_000)
    return context.newPage()
  })
  const page = await shared
  onTestFinished(() => reset(page))
  return page
}

async function reset(page: Page): Promise<void> {
  const context = page.context()
  for (const other of context.pages()) if (other !== page) await other.close()
  await context.clearPermissions()
  if (page.isClosed()) {
    shared = context.newPage()
    return
  }
  for (const event of followed) page.removeAllListeners(event)
  await page.unrouteAll()
  await page.emulateMedia({ colorScheme: null, reducedMotion: null })
  await page.setViewportSize(viewport)
  if (!(await rest(page))) await leave(page)
}

/** The page leaves by itself: whoever sends it elsewhere makes the browser start a new process. */
async function leave(page: Page): Promise<void> {
  await page.evaluate("location.replace('about:blank')")
  await page.waitForURL('about:blank')
}

/** Has the inspector show an address as its links and the back button do; false if it is another page. */
function turn(page: Page, url: string): Promise<boolean> {
  return page.evaluate<boolean>(`(() => {
    const { origin, pathname, hash } = new URL(${JSON.stringify(url)}, location)
    const isSame = origin === location.origin && hash === location.hash && hash !== '' && pathname !== '/ui/'
    if (!isSame || document.querySelector('#page nav') === null) return false
    history.pushState(null, '', ${JSON.stringify(url)})
    dispatchEvent(new PopStateEvent('popstate'))
    return true
  })()`)
}

/** Has the inspector take down its screen with all that was opened there. */
async function rest(page: Page): Promise<boolean> {
  const { origin, hash } = new URL(page.url())
  if (origin === 'null' || !(await turn(page, `${origin}/ui/nothing${hash}`))) return false
  await page.getByRole('heading', { level: 1, name: 'Not found' }).waitFor()
  return true
}

/** Shows another address of the inspector, on a screen as new as one loaded. */
export async function show(page: Page, url: string): Promise<void> {
  if (!(await rest(page)) || !(await turn(page, url))) await page.goto(url)
}

async function openPage(browser: Browser, url: string): Promise<WatchedPage> {
  const page = await sharedPage(browser)
  const { origin } = new URL(url)
  // A page whose server has ended still asks it.
  if (![origin, 'null'].includes(new URL(page.url()).origin)) await leave(page)
  const strangers: string[] = []
  const messages: string[] = []
  page.on('request', (request) => {
    const target = request.url()
    if (!target.startsWith(`${origin}/`) && !target.startsWith('blob:')) strangers.push(target)
  })
  page.on('console', (message) => messages.push(`${message.type()}: ${message.text()}`))
  page.on('pageerror', (error) => messages.push(`error: ${error.message}`))
  page.on('dialog', (dialog) => {
    messages.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  await show(page, url)
  return {
    page,
    isClean() {
      expect({ strangers, messages }).toEqual({ strangers: [], messages: [] })
    },
  }
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** The themes differ in colours only: one answers for every rule of axe, the other for what colours can break. */
const themes = [
  ['dark', { runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] } }],
  ['light', {}],
] as const

/** What axe finds wrong on a page in its two themes, one line for each rule with the elements that break it. */
export async function axeViolations(page: Page): Promise<string[]> {
  if (await page.evaluate<boolean>('globalThis.axe === undefined')) await page.evaluate(axeSource)
  const lines: string[] = []
  for (const [colorScheme, rules] of themes) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    // Only what is told leaves the page; it has no media that axe would have to load first.
    const options = JSON.stringify({ resultTypes: ['violations'], preload: false, ...rules })
    const violations = await page.evaluate<AxeResults['violations']>(
      `axe.run(${options}).then(({ violations }) => violations)`,
    )
    for (const { id, help, nodes } of violations)
      lines.push(`${colorScheme}: ${id}: ${help}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`)
  }
  return lines
}

/** Fails if the page is wider than the screen at one of these widths; `also` checks more at each. */
export async function expectFit(page: Page, widths: readonly number[], also?: (where: string) => Promise<void>) {
  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 })
    const where = `${new URL(page.url()).pathname} at ${width}`
    expect(await page.evaluate<number>('document.documentElement.scrollWidth'), where).toBeLessThanOrEqual(width)
    await also?.(where)
  }
}

/** The address of a screen on the page that a ready line names. */
export function screenUrl(url: string, path: string): string {
  const [base = '', token = ''] = url.split('#')
  const [pathname = '', query] = path.split('?')
  return `${base.replace(/\/ui\/$/, '/ui')}${pathname}${query === undefined ? '' : `?${query}`}#${token}`
}
