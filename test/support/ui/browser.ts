import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'

/** The system's browser; `DLV_BROWSER` names another one. */
const executable = [
  process.env.DLV_BROWSER,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find((file) => file !== undefined && existsSync(file))

/** A page with what it did that it must not do: requests beyond its server, and messages in the console. */
export interface WatchedPage {
  page: Page
  /** Fails if the page asked anybody but its own server, or wrote to the console. */
  isClean(): void
}

export type OpenPage = (url: string, options?: BrowserContextOptions) => Promise<WatchedPage>

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
    tests(async (url, options) => {
      if (browser === undefined) throw new Error('The browser was not started.')
      return openPage(browser, url, options)
    })
  })
}

let started: Promise<Browser> | undefined

/** The browser of this worker: it is started by the first file that needs one, and ends with the worker. */
function startedBrowser(): Promise<Browser> {
  started ??= chromium.launch({
    executablePath: executable ?? '',
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-dev-shm-usage'],
  })
  return started
}

const usual: BrowserContextOptions = { viewport: { width: 1280, height: 900 }, timezoneId: 'UTC' }
let shared: Promise<BrowserContext> | undefined

/**
 * A context for pages with these options: one of its own, or for the usual ones that of the worker, since a context
 * costs as much as a page. Pages share nothing in it: they store nothing, and each file serves its own origin.
 */
async function contextOf(browser: Browser, options: BrowserContextOptions | undefined): Promise<BrowserContext> {
  if (options !== undefined) {
    const own = await browser.newContext({ ...usual, ...options })
    onTestFinished(() => own.close())
    return own
  }
  shared ??= browser.newContext(usual).then(async (context) => {
    // A window without a page would close.
    await context.newPage()
    return context
  })
  const context = await shared
  onTestFinished(async () => {
    for (const page of context.pages().slice(1)) await page.close()
    await context.clearPermissions()
  })
  return context
}

async function openPage(browser: Browser, url: string, options?: BrowserContextOptions): Promise<WatchedPage> {
  const context = await contextOf(browser, options)
  context.setDefaultTimeout(10_000)
  const page = await context.newPage()
  const { origin } = new URL(url)
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
  await page.goto(url)
  return {
    page,
    isClean() {
      expect({ strangers, messages }).toEqual({ strangers: [], messages: [] })
    },
  }
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** What axe finds wrong on a page, one line for each rule with the elements that break it. */
export async function axeViolations(page: Page): Promise<string[]> {
  await page.evaluate(axeSource)
  const { violations } = await page.evaluate(() =>
    (globalThis as unknown as { axe: { run(): Promise<AxeResults> } }).axe.run(),
  )
  return violations.map(
    ({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`,
  )
}

/** The address of a screen on the page that a ready line names. */
export function screenUrl(url: string, path: string): string {
  const [base = '', token = ''] = url.split('#')
  const [pathname = '', query] = path.split('?')
  return `${base.replace(/\/ui\/$/, '/ui')}${pathname}${query === undefined ? '' : `?${query}`}#${token}`
}
