import { describe, expect, test } from 'vitest'
import { testOrder } from '../support/sandbox/orders.js'
import { startTestSandbox } from '../support/sandbox/sandboxes.js'

interface Live {
  title: string
  isOver: boolean
  parts: Record<string, string>
}

const hostile = `<script>alert(1)</script>"><img src=x onerror=alert(1)>`

async function startTracking(change: Record<string, unknown> = {}) {
  const { sandbox, caller } = await startTestSandbox()
  const { body } = await caller.create(testOrder(change))
  const address = String(body.trackingUrl)
  const live = async () => (await (await fetch(`${address}/live`)).json()) as Live
  const simulate = (advanceTo: string) => caller.post(`/deliveries/${body.deliveryId}/simulate`, { advanceTo })
  return { sandbox, address, live, simulate }
}

describe('The tracking page', () => {
  test('runs and loads only files of its own', async () => {
    const { address } = await startTracking()
    const page = await fetch(address)
    const html = await page.text()
    const policy = page.headers.get('Content-Security-Policy')
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'")
    expect(policy).not.toContain('unsafe')
    expect(html).not.toMatch(/<script(?! src="\/track\/)|<style| style=| on\w+=/)
    const files = [...html.matchAll(/(?:src|href)="(\/track\/[\w.]+)"/g)].map(([, path]) => String(path))
    const types = await Promise.all(
      files.map(async (path) => (await fetch(new URL(path, address))).headers.get('Content-Type')),
    )
    expect(types).toEqual(['image/svg+xml', 'text/css; charset=utf-8', 'text/javascript; charset=utf-8'])
  })

  test('gives its script what has changed, without a line in the log of requests', async () => {
    const { sandbox, live, simulate } = await startTracking()
    expect(await live()).toMatchObject({
      title: 'Order accepted: your delivery from Sandbox Market #01',
      isOver: false,
    })
    await simulate('driver_enroute_to_dropoff')
    const underWay = await live()
    expect(underWay.parts.heading).toContain('On the way to you')
    expect(underWay.parts.map).toContain('<svg')
    expect(underWay.parts.map).toContain('(approximate)')
    expect(underWay.parts.map).toContain('class="way-driver"')
    expect(underWay.parts.facts).toMatch(/^<p>\w+.* drives a .+\.<\/p>$/)
    await simulate('delivered')
    expect(await live()).toMatchObject({
      isOver: true,
      parts: { facts: expect.stringMatching(/^<p>Your driver was \w.*\.<\/p>$/) },
    })
    const { requests } = (await sandbox.steer('GET', '/requests')) as { requests: { path: string }[] }
    expect(requests.filter(({ path }) => path.includes('/live'))).toEqual([])
  })

  test('draws the trail that the driver has told', async () => {
    const { sandbox, live } = await startTracking({ metadata: { sandbox_pace: 'real' } })
    await sandbox.steer('POST', '/clock', { advance: '3h' })
    const { parts } = await live()
    const [, trail = ''] = /<path d="([^"]+)"[^>]*class="way-trail"/.exec(parts.map ?? '') ?? []
    expect(trail.split('L').length).toBeGreaterThan(5)
  })

  test('shows hostile texts as text', async () => {
    const { live } = await startTracking({ dropoff: { contactName: hostile, instructions: hostile } })
    expect(JSON.stringify(await live())).not.toMatch(/<script|<img src=x/)
  })

  test('does not exist for an unknown delivery', async () => {
    const { address } = await startTracking()
    const answers = await Promise.all(['', '/live'].map((end) => fetch(address.replace(/del_\w+/, 'del_none') + end)))
    expect(answers.map(({ status }) => status)).toEqual([404, 404])
  })
})
