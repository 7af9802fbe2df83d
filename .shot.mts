import { chromium } from 'playwright-core'
const [url, out, ...paths] = process.argv.slice(2)
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox','--disable-gpu'] })
for (const [width, scheme] of (process.env.SIZES ?? '1440 light').split(',').map((s) => s.split(' '))) {
  const ctx = await browser.newContext({ viewport: { width: Number(width), height: 800 }, colorScheme: scheme as 'light', timezoneId: 'UTC' })
  const page = await ctx.newPage()
  for (const path of paths) {
    const [base, token] = url.split('#'); const [p, q] = path.split('?')
    await page.goto(base.replace(/\/ui\/$/, '/ui') + p + (q ? '?' + q : '') + '#' + token)
    await page.waitForTimeout(2500)
    const name = `${out}/${path.replace(/\W/g, '_')}-${width}-${scheme}.png`
    await page.screenshot({ path: name })
    console.log('==', path, width, scheme); if (scheme === 'light') console.log((await page.innerText('body')).replace(/\n+/g, '\n').slice(0, 900))
  }
  await ctx.close()
}
await browser.close()
