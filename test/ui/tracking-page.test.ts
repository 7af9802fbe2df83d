import { expect, it } from 'vitest'
import { testOrder } from '../support/sandbox/orders.js'
import { startTestSandbox } from '../support/sandbox/sandboxes.js'
import { axeViolations, describeInBrowser } from '../support/ui/browser.js'

const hostile = `<script>alert(1)</script>"><img src=x onerror=alert(1)>`

describeInBrowser('The tracking page in the browser', (open) => {
  it('follows its delivery without a reload, and draws where the driver is', async () => {
    const { sandbox, caller } = await startTestSandbox()
    const order = testOrder({ dropoff: { contactName: hostile, instructions: hostile } })
    const { body } = await caller.create({ ...order, metadata: { sandbox_pace: 'real' } })
    const { page, isClean } = await open(String(body.trackingUrl))
    const heading = page.getByRole('status')
    expect(await heading.textContent()).toBe('Order accepted')
    await page.evaluate('window.isTheSamePage = true')
    await sandbox.steer('POST', '/clock', { advance: '12m' })
    await page.locator('.way-driver').waitFor()
    const place = () => page.locator('.way-driver').getAttribute('cx')
    const before = await place()
    await sandbox.steer('POST', '/clock', { advance: '8m' })
    await expect.poll(place).not.toBe(before)
    expect(await axeViolations(page)).toEqual([])
    const box = await page.locator('svg.way').boundingBox()
    expect(box?.width).toBeGreaterThanOrEqual(200)
    expect(box?.height).toBeGreaterThanOrEqual(100)
    await sandbox.steer('POST', '/clock', { advance: '5h' })
    await expect.poll(() => heading.textContent()).toBe('Delivered')
    expect(await page.title()).toContain('Delivered')
    expect(await page.evaluate('window.isTheSamePage')).toBe(true)
    isClean()
  })

  it('says that it has lost its connection, and continues when the service is back', async () => {
    const { caller } = await startTestSandbox()
    const { body } = await caller.create(testOrder())
    const { page } = await open(String(body.trackingUrl))
    await page.route('**/live', (route) => route.abort())
    await page.getByRole('alert').filter({ hasText: 'No connection' }).waitFor()
    await caller.post(`/deliveries/${body.deliveryId}/simulate`, { advanceTo: 'driver_at_dropoff' })
    await page.unroute('**/live')
    await expect.poll(() => page.getByRole('status').textContent()).toBe('Driver has arrived')
    expect(await page.getByRole('alert').textContent()).toBe('')
  })
})
