import type { ChildProcess } from 'node:child_process'
import { execFileSync, spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { prismProgram } from '../../scripts/openapi/prism.js'
import { freePort } from '../../test/support/free-port.ts'
import type { Ground } from '../ground.ts'
import { inTurn, median, pairedRatio } from '../measure.ts'
import { type Outcome, round } from '../result.ts'

/**
 * The sandbox with all rules and on disk, compared with Prism, which responds with examples, and with the least that a
 * durable service can do.
 */
export async function measureSandbox(ground: Ground): Promise<Outcome> {
  const folder = ground.newFolder('openapi')
  const specification = join(folder, 'openapi.json')
  const { file: dlv, arguments: words, env } = ground.dlv(['openapi'])
  writeFileSync(specification, execFileSync(dlv, words, { env: { ...process.env, ...env } }))
  const smallSpecification = join(folder, 'two-operations.json')
  writeFileSync(smallSpecification, JSON.stringify(withTwoOperations(JSON.parse(readFileSync(specification, 'utf8')))))
  const prismPort = await freePort()
  const startPrism = () =>
    firstAnswer(spawnPrism(specification, prismPort), `http://127.0.0.1:${prismPort}/capabilities`, 'bench')
  const smallPrismPort = await freePort()
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

  const ours = await ground.startSandbox(join(ground.newFolder('sandbox'), 'sandbox.db'))
  const logFolder = ground.newFolder('logged')
  const log = openSync(join(logFolder, 'requests.log'), 'w')
  const logged = await ground.startCommand(
    ground.dlv(['sandbox', 'start', '--port', '0', '--data', join(logFolder, 'sandbox.db'), '-o', 'json']),
    log,
  )
  closeSync(log)
  const prism = (await startPrism()).child
  const smallPrismUrl = `http://127.0.0.1:${smallPrismPort}`
  const smallPrism = (
    await firstAnswer(spawnPrism(smallSpecification, smallPrismPort), `${smallPrismUrl}/deliveries/del_1`, 'bench')
  ).child
  const floor = await ground.start('floor-server.mjs', [join(ground.newFolder('floor'), 'floor.db')])
  const floorUrl = String(floor.ready.baseUrl)
  const order = join(ground.project, 'examples/order.json')
  const baseUrl = String(ours.ready.baseUrl)
  const createdAt = async (url: string) => {
    const headers = { authorization: 'Bearer dlvk_sbx_fast', 'content-type': 'application/json' }
    const created = await fetch(`${url}/deliveries`, {
      method: 'POST',
      headers: { ...headers, 'idempotency-key': 'bench' },
      body: readFileSync(order, 'utf8'),
    })
    return ((await created.json()) as { deliveryId: string }).deliveryId
  }
  const loggedUrl = String(logged.ready.baseUrl)
  const [deliveryId, loggedDeliveryId, floorDeliveryId] = [
    await createdAt(baseUrl),
    await createdAt(loggedUrl),
    await createdAt(floorUrl),
  ]
  let run = 0
  const load = (url: string, kind: string, count: number) => async () => {
    const words = [url, kind, String(count), 'dlvk_sbx_fast', order, `r${++run}`]
    const { failed, perSecond } = await ground.load('api-load.mjs', words)
    if (Number(failed) > 0) throw new Error(`${failed} of ${count} requests to ${url} failed`)
    return Number(perSecond)
  }
  const reads = ground.quick ? 4_000 : 40_000
  const many = ground.quick ? 1_500 : 10_000
  const few = ground.quick ? 400 : 2_000
  const prismUrl = `http://127.0.0.1:${prismPort}`
  const [
    floorGets = [],
    ourGets = [],
    loggedGets = [],
    theirGets = [],
    theirSmallGets = [],
    floorPosts = [],
    ourPosts = [],
    theirPosts = [],
    theirSmallPosts = [],
  ] = await inTurn(ground.quick ? 1 : 5, [
    load(`${floorUrl}/deliveries/${floorDeliveryId}`, 'get', reads),
    load(`${baseUrl}/deliveries/${deliveryId}`, 'get', reads),
    load(`${loggedUrl}/deliveries/${loggedDeliveryId}`, 'get', reads),
    load(`${prismUrl}/deliveries/del_1`, 'get', few),
    load(`${smallPrismUrl}/deliveries/del_1`, 'get', few),
    load(`${floorUrl}/deliveries`, 'create', many),
    load(`${baseUrl}/deliveries`, 'create', many),
    load(`${prismUrl}/deliveries`, 'create', few),
    load(`${smallPrismUrl}/deliveries`, 'create', few),
  ])
  for (const child of [ours.child, logged.child, prism, smallPrism, floor.child]) await ground.stop(child)
  const perSecond = (figures: number[]) => `${round(median(figures), 0).toLocaleString('en')} per second`
  const compared = (id: string, aim: string, least: number, mine: number[], theirs: number[]) => {
    const paired = pairedRatio(mine, theirs)
    const { ratio } = paired
    const measured = `${round(ratio)} × (${perSecond(mine)} vs. ${perSecond(theirs)})`
    return {
      id,
      aim,
      bar: `≥ ${least} ×`,
      measured,
      values: { ...paired },
      faster: 'larger' as const,
      met: ratio >= least,
    }
  }
  const paired = pairedRatio(ourStarts, theirStarts)
  const { ratio: starts } = paired
  return {
    results: [
      compared('sandbox-get', 'sandbox, GET of one delivery, vs. Prism', 8, ourGets, theirGets),
      compared(
        'sandbox-get-two-operations',
        'the same vs. Prism with these two operations only',
        3,
        ourGets,
        theirSmallGets,
      ),
      compared('sandbox-get-floor', 'the same vs. `node:http` and one row of SQLite', 0.4, ourGets, floorGets),
      compared('sandbox-get-logged', 'the same with its log to a file vs. `--quiet`', 0.8, loggedGets, ourGets),
      compared('sandbox-create', 'sandbox, POST of a delivery, all rules, on disk, vs. Prism', 3, ourPosts, theirPosts),
      compared(
        'sandbox-create-two-operations',
        'the same vs. Prism with these two operations only',
        1.2,
        ourPosts,
        theirSmallPosts,
      ),
      compared(
        'sandbox-create-floor',
        'the same vs. `node:http`, zod and the same rows in SQLite, no rules',
        0.4,
        ourPosts,
        floorPosts,
      ),
      {
        id: 'sandbox-start',
        aim: '`sandbox start` to its first 200, vs. Prism',
        bar: '≤ 0.25 ×, < 300 ms',
        measured: `${round(starts)} × (${round(median(ourStarts), 0)} ms vs. ${round(median(theirStarts), 0)} ms)`,
        values: { ...paired, oursMs: median(ourStarts) },
        faster: 'smaller',
        met: starts <= 0.25 && median(ourStarts) < 300,
      },
    ],
  }
}

/** The document with the two operations that are measured, since Prism searches all of them for each request. */
function withTwoOperations(document: { paths: Record<string, Record<string, unknown>> }): unknown {
  const paths = {
    '/deliveries': { post: document.paths['/deliveries']?.post },
    '/deliveries/{deliveryId}': { get: document.paths['/deliveries/{deliveryId}']?.get },
  }
  return { ...document, paths }
}

function spawnPrism(specification: string, port: number): ChildProcess {
  return spawn(process.execPath, [prismProgram(), 'mock', specification, '--port', String(port)], { stdio: 'ignore' })
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
