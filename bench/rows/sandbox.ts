import type { ChildProcess } from 'node:child_process'
import { execFileSync, spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { join } from 'node:path'
import type { Ground } from '../ground.ts'
import { inTurn, median, pairedRatio } from '../measure.ts'
import { type Outcome, round } from '../result.ts'

/** The sandbox with all rules and on disk, compared with Prism, which responds with examples. */
export async function measureSandbox(ground: Ground): Promise<Outcome> {
  const specification = join(ground.newFolder('openapi'), 'openapi.json')
  const { file: dlv, arguments: words, env } = ground.dlv(['openapi'])
  writeFileSync(specification, execFileSync(dlv, words, { env: { ...process.env, ...env } }))
  const prismPort = await freePort()
  const startPrism = () =>
    firstAnswer(spawnPrism(specification, prismPort), `http://127.0.0.1:${prismPort}/capabilities`, 'bench')
  const startOurs = async () => {
    const port = await freePort()
    const data = join(ground.newFolder('sandbox'), 'sandbox.db')
    const {
      file,
      arguments: words,
      env,
    } = ground.dlv(['sandbox', 'start', '--port', String(port), '--data', data, '-o', 'json'])
    const child = spawn(file, words, { stdio: 'ignore', env: { ...process.env, ...env } })
    return firstAnswer(child, `http://127.0.0.1:${port}/delivery/v1/capabilities`, 'dlvk_sbx_fast')
  }
  const timed = (start: () => Promise<{ child: ChildProcess; ms: number }>) => async () => {
    const { child, ms } = await start()
    await ground.stop(child)
    return ms
  }
  const [ourStarts = [], theirStarts = []] = await inTurn(ground.quick ? 2 : 7, [timed(startOurs), timed(startPrism)])

  const data = join(ground.newFolder('sandbox'), 'sandbox.db')
  const ours = await ground.startCommand(ground.dlv(['sandbox', 'start', '--port', '0', '--data', data, '-o', 'json']))
  const prism = (await startPrism()).child
  const order = join(ground.project, 'examples/order.json')
  const baseUrl = String(ours.ready.baseUrl)
  const created = await fetch(`${baseUrl}/deliveries`, {
    method: 'POST',
    headers: { authorization: 'Bearer dlvk_sbx_fast', 'content-type': 'application/json', 'idempotency-key': 'bench' },
    body: readFileSync(order, 'utf8'),
  })
  const { deliveryId } = (await created.json()) as { deliveryId: string }
  let run = 0
  const load = (url: string, kind: string, count: number) => async () => {
    const { child, ready } = await ground.startCommand({
      file: process.execPath,
      arguments: [
        join(ground.project, 'bench/processes/api-load.mjs'),
        url,
        kind,
        String(count),
        'dlvk_sbx_fast',
        order,
        `r${++run}`,
      ],
    })
    await ground.stop(child)
    if (Number(ready.failed) > 0) throw new Error(`${ready.failed} of ${count} requests to ${url} failed`)
    return Number(ready.perSecond)
  }
  const many = ground.quick ? 1_500 : 10_000
  const few = ground.quick ? 400 : 2_000
  const prismUrl = `http://127.0.0.1:${prismPort}`
  const [ourGets = [], theirGets = [], ourPosts = [], theirPosts = []] = await inTurn(ground.quick ? 1 : 5, [
    load(`${baseUrl}/deliveries/${deliveryId}`, 'get', many),
    load(`${prismUrl}/deliveries/del_1`, 'get', few),
    load(`${baseUrl}/deliveries`, 'create', many),
    load(`${prismUrl}/deliveries`, 'create', few),
  ])
  await ground.stop(ours.child)
  await ground.stop(prism)
  const gets = pairedRatio(ourGets, theirGets)
  const posts = pairedRatio(ourPosts, theirPosts)
  const starts = pairedRatio(ourStarts, theirStarts)
  const perSecond = (figures: number[]) => `${round(median(figures), 0).toLocaleString('en')} per second`
  return {
    results: [
      {
        id: 'sandbox-get',
        aim: 'sandbox, GET of one delivery, vs. Prism',
        bar: '≥ 5 ×',
        measured: `${round(gets, 1)} × (${perSecond(ourGets)} vs. ${perSecond(theirGets)})`,
        values: { ratio: gets },
        met: gets >= 5,
      },
      {
        id: 'sandbox-create',
        aim: 'sandbox, POST of a delivery, all rules, on disk, vs. Prism',
        bar: '≥ 1 ×',
        measured: `${round(posts, 1)} × (${perSecond(ourPosts)} vs. ${perSecond(theirPosts)})`,
        values: { ratio: posts },
        met: posts >= 1,
      },
      {
        id: 'sandbox-start',
        aim: '`sandbox start` to its first 200, vs. Prism',
        bar: '≤ 1 ×, < 300 ms',
        measured: `${round(starts)} × (${round(median(ourStarts), 0)} ms vs. ${round(median(theirStarts), 0)} ms)`,
        values: { ratio: starts, oursMs: median(ourStarts) },
        met: starts <= 1 && median(ourStarts) < 300,
      },
    ],
  }
}

function spawnPrism(specification: string, port: number): ChildProcess {
  const prism = createRequire(import.meta.url).resolve('@stoplight/prism-cli/dist/index.js')
  return spawn(process.execPath, [prism, 'mock', specification, '--port', String(port)], { stdio: 'ignore' })
}

async function firstAnswer(
  child: ChildProcess,
  url: string,
  apiKey: string,
): Promise<{ child: ChildProcess; ms: number }> {
  const began = performance.now()
  while (performance.now() - began < 30_000) {
    const answer = await fetch(url, { headers: { authorization: `Bearer ${apiKey}` } }).catch(() => undefined)
    await answer?.arrayBuffer()
    if (answer?.status === 200) return { child, ms: performance.now() - began }
    await new Promise((resolve) => setTimeout(resolve, 3))
  }
  throw new Error(`nothing answered at ${url} within 30 s`)
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}
