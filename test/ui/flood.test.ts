import { expect, it } from 'vitest'
import { readEvents } from '../../src/ui/page/state/sse.js'
import type { LiveItem } from '../../src/ui/wire/live.js'
import { describeInBrowser, screenUrl } from '../support/ui/browser.js'
import { type Served, serveUi } from '../support/ui/inspector.js'

/** Writes more than 2,000 past events at once; whole days, so that it is not fewer at some hours. */
async function seed(served: Served, number: number): Promise<void> {
  const words = ['sandbox', 'seed', '--over', '2d', '--per-day', '60', '--seed', String(number)]
  expect((await served.cli.run(words)).exitCode).toBe(0)
}

/** How many lines the messages of the stream have. */
async function* messageSizes(served: Served, signal: AbortSignal): AsyncGenerator<number> {
  const response = await fetch(`${served.origin}/ui/stream`, {
    headers: { authorization: `Bearer ${served.token}` },
    signal,
  })
  if (response.body === null) throw new Error('The stream has no body.')
  for await (const { event, data } of readEvents(response.body))
    if (event === 'items') yield (JSON.parse(data) as LiveItem[]).length
}

describeInBrowser('A flood of events', (open) => {
  it('reaches a page in few lines, no more than it draws after the first', async () => {
    const served = await serveUi()
    const stop = new AbortController()
    const sizes = messageSizes(served, stop.signal)
    let first = sizes.next()
    await seed(served, 1)
    while (Number((await first).value) <= 200) first = sizes.next()
    expect((await first).value).toBeLessThanOrEqual(1_000)
    await seed(served, 2)
    expect((await sizes.next()).value).toBeLessThanOrEqual(100)
    stop.abort()
  })

  it('is shown as far as it can be drawn, says how much is left out, and is read when it is over', async () => {
    const served = await serveUi()
    const { page, isClean } = await open(screenUrl(served.url, '/live'))
    await page.getByText('live', { exact: true }).waitFor()
    // It is said until the lines are read, which a busy machine may do before anybody looks.
    await page.evaluate(`
      globalThis.said = []
      new MutationObserver(() => said.push(document.querySelector('h1').parentElement.textContent))
        .observe(document.body, { childList: true, characterData: true, subtree: true })`)
    await seed(served, 1)
    await expect
      .poll(() => page.evaluate<string>('said.join("\\n")'), { timeout: 40_000 })
      .toMatch(/, [\d,]+ more lines left out in this flood$/m)
    // The page keeps 2,000; two of one event are one line.
    await page.getByText(/^(?:1,9\d\d|2,000) lines$/).waitFor()
    await expect.poll(() => page.getByRole('row').count()).toBe(101)
    isClean()
  })
})

describeInBrowser('A page in a tab that nobody looks at', (open) => {
  it('draws nothing, and everything with its next frame', async () => {
    const served = await serveUi()
    const { page, isClean } = await open(screenUrl(served.url, '/live'))
    await page.getByText('live', { exact: true }).waitFor()
    // As a browser does with a hidden tab; a headless one hides none.
    await page.evaluate(`
      const { postMessage } = BroadcastChannel.prototype
      globalThis.kept = { frames: [], told: [] }
      globalThis.requestAnimationFrame = (draw) => kept.frames.push(draw)
      BroadcastChannel.prototype.postMessage = function (message) {
        kept.told.push(message)
        postMessage.call(this, message)
      }`)
    await served.cli.run(['deliveries', 'create', '--file', 'examples/order.json', '--ref', 'UNSEEN-1'])
    await expect.poll(() => page.evaluate('JSON.stringify(kept.told)')).toContain('UNSEEN-1')
    expect(await page.getByText('UNSEEN-1').count()).toBe(0)
    await page.evaluate('for (const draw of kept.frames.splice(0)) draw(0)')
    await page.getByText('UNSEEN-1').first().waitFor()
    isClean()
  })
})
