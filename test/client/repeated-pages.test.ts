import { expect, it } from 'vitest'
import { createClient } from '../../src/client/index.js'
import { startHttpServer } from '../support/http-server.js'

/** What a client reads of a service whose cursors are always new, and which gives these pages over and over. */
async function listed(pages: readonly (readonly string[])[]): Promise<{ asked: number; error: string }> {
  let asked = 0
  const origin = await startHttpServer((_request, response) => {
    const installations = (pages[asked++ % pages.length] ?? []).map((code) => ({ code, name: code }))
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ installations, nextCursor: `cursor-${asked}` }))
  })
  const client = createClient({ baseUrl: `${origin}/delivery/v1`, apiKey: 'dlvk_1' })
  try {
    for await (const _ of client.pages('listInstallations', {})) if (asked > 2_000) break
    return { asked, error: 'none' }
  } catch (error) {
    return { asked, error: (error as Error).message }
  } finally {
    await client.close()
  }
}

it.each([
  ['one page', [['a', 'b']], 2],
  [
    'two pages in turn',
    [
      ['a', 'b'],
      ['c', 'd'],
    ],
    3,
  ],
  ['a page of one', [['a']], 3],
  ['no items', [[]], 1_001],
] as const)('A list that gives %s again and again ends', async (_, pages, asked) => {
  expect(await listed(pages)).toEqual({ asked, error: expect.stringContaining('the list would never end') })
})

it('A page of one may come twice, where others were added in front of it', async () => {
  const pages = [...Array.from({ length: 2_100 }, (_, at) => [`e${Math.floor(at / 2)}`]), ['last']]
  expect(await listed(pages)).toMatchObject({ error: 'none' })
})
