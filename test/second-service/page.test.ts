import { beforeAll, expect, it } from 'vitest'
import {
  type AccountName,
  allLiberties,
  anOrder,
  describeWithPython,
  type SecondService,
  startSecondService,
} from '../support/second-service/service.js'
import { describeInBrowser, screenUrl, show } from '../support/ui/browser.js'
import { type Served, serveUi } from '../support/ui/inspector.js'

/** The screens, each with what stands on it once it has read the account. */
const screens = [
  ['/live', /delivered/],
  ['/deliveries', /R1/],
  ['/webhooks', /events? sent/],
  ['/installations', /Fort Alder/],
  ['/time', /clock/i],
  ['/report', /delivered/i],
] as const
/** What no screen may say of a service: words of the program, and values that are none. */
const nonsense = /\b(?:undefined|null|NaN|Invalid Date)\b|\[object|bug in dlv/

describeWithPython('The page, on a service that somebody else wrote', () => {
  describeInBrowser('in a browser', (open) => {
    let service: SecondService
    let served: Served
    const ids: Record<string, string> = {}

    beforeAll(async () => {
      service = await startSecondService()
      await service.control('all', { liberties: allLiberties() })
      const { ids: made } = await service.control('sandbox', { orders: ['R1', 'R2', 'R3'].map(anOrder), ago: 900 })
      const [fresh = '', done = '', failed = ''] = made
      await service.control('sandbox', { advance: { deliveryId: done, to: 'delivered' } })
      await service.control('sandbox', { advance: { deliveryId: failed, to: 'failed', reason: 'dog_in_the_way' } })
      for (const tell of ['driver.paused', 'installation.access_policy_changed', 'account.notice'])
        await service.control('sandbox', { tell })
      Object.assign(ids, { fresh, done, failed, event: (await service.control('sandbox')).events[3]?.id ?? '' })
      served = await serveUi('file', { before: async (cli) => service.addProfiles(cli) })
      return async () => {
        await served.close()
        await service.close()
      }
    })

    it.each(screens)('shows %s, and nothing that the service did not say', async (path, says) => {
      const { page, isClean } = await open(screenUrl(served.url, path))
      await page.getByRole('heading', { level: 1 }).waitFor()
      // The report is in a frame.
      const text = async () =>
        (await Promise.all(page.frames().map((frame) => frame.locator('main').innerText()))).join('\n')
      await expect.poll(text).toMatch(says)
      expect(await text()).not.toMatch(nonsense)
      expect((await page.locator('[role=alert]').allInnerTexts()).filter((one) => one !== '')).toEqual([])
      isClean()
    })

    it.each(['fresh', 'done', 'failed'])('shows the delivery that is %s', async (name) => {
      const { page, isClean } = await open(screenUrl(served.url, `/deliveries/${encodeURIComponent(ids[name] ?? '')}`))
      await page.getByText('Verification').waitFor()
      const text = await page.locator('main').innerText()
      expect(text).not.toMatch(nonsense)
      expect(text).not.toMatch(/\$\d|Nothing is checked/)
      // A browser tells of every answer like this one.
      if (name === 'done') await page.getByText(/The proof at \S+ was not found\./).waitFor()
      else isClean()
    })

    it('shows one event, one installation, and the account', async () => {
      const { page, isClean } = await open(screenUrl(served.url, `/events/${encodeURIComponent(ids.event ?? '')}`))
      await page.getByText('delivery.').first().waitFor()
      // The body below is the service's own.
      expect((await page.locator('main').innerText()).split('\nBody\n')[0]).not.toMatch(nonsense)
      await show(page, screenUrl(served.url, '/installations?code=FT-ALDER'))
      await page.getByText('Fort Alder').first().click()
      await page.getByText('Prohibited cargo').waitFor()
      const text = await page.locator('main').innerText()
      expect(text).not.toMatch(nonsense)
      expect(text.split('FT-ALDER · ')[1]).not.toMatch(/accepts deliveries|permitted|none/)
      isClean()
    })

    it.each<AccountName>(['fleet', 'live'])('opens on the account %s', async (account) => {
      const { url, close } = await serveUi('test', {
        before: async (cli) => service.addProfiles(cli, account),
        words: ['-P', account],
      })
      const { page, isClean } = await open(screenUrl(url, '/deliveries'))
      await page.getByRole('heading', { level: 1 }).waitFor()
      expect(await page.locator('main').innerText()).not.toMatch(nonsense)
      isClean()
      await close()
    })
  })
})
