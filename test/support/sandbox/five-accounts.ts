import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { type RunningSandbox, startSandbox } from '../../../src/sandbox/index.js'
import type { Cli } from '../cli/program.js'
import { startHttpServer } from '../http-server.js'

const order = JSON.parse(readFileSync('examples/order.json', 'utf8'))

/** The accounts that answer, in order: the last one slowly. */
export const answering = ['acme-east', 'acme-south', 'acme-west', 'slow']

/** All five, with the one whose key is revoked and the one whose service fails. */
export const fiveAccounts = ['acme-east', 'acme-south', 'acme-west', 'revoked', 'broken']

/**
 * Profiles of a program whose services are behind real sockets: `acme-*` answer, `slow` answers late, `broken` answers
 * 500, and the key of `revoked` is not known any more. Each that answers has so many orders, named by it.
 */
export async function startAccounts(cli: Cli, { orders, slowMs = 150 }: { orders: number; slowMs?: number }) {
  const sandboxes = new Map<string, RunningSandbox>()
  const add = async (name: string, baseUrl: string, key: string) => {
    const words = ['profiles', 'add', name, '-e', 'sandbox', '--base-url', baseUrl, '--api-key-stdin', '--no-keychain']
    const added = await cli.run(words, { stdin: key })
    if (added.exitCode !== 0) throw new Error(added.stderr)
  }
  for (const name of answering) {
    const sandbox = await startSandbox({ rateLimit: 'off' })
    onTestFinished(() => sandbox.close())
    sandboxes.set(name, sandbox)
    for (let at = 0; at < orders; at++) await create(sandbox, `${name}-${at}`)
    if (name !== 'slow') await add(name, sandbox.baseUrl, sandbox.apiKey)
  }
  const [first, slow] = [sandboxes.get('acme-east'), sandboxes.get('slow')]
  if (first === undefined || slow === undefined) throw new Error('no sandbox')
  await add('revoked', first.baseUrl, 'dlvk_sbx_revoked')
  const late = await startHttpServer(async (request, response) => {
    await pause(slowMs)
    const asked = new Request(new URL(String(request.url), slow.baseUrl), {
      method: request.method ?? 'GET',
      headers: new Headers(request.headers as Record<string, string>),
    })
    // Meanwhile the sandbox may have been closed, which is thrown.
    const answer = await new Promise<Response | undefined>((resolve) => {
      resolve(slow.fetch(asked))
    }).catch(() => undefined)
    if (answer === undefined) return void response.destroy()
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(Buffer.from(await answer.arrayBuffer()))
  })
  await add('slow', `${late}${new URL(slow.baseUrl).pathname}`, slow.apiKey)
  const failing = await startHttpServer((_, response) => {
    // Nothing is repeated that is to be repeated much later.
    response.writeHead(500, { 'content-type': 'application/json', 'retry-after': '3600' })
    response.end('{"error":{"code":"INTERNAL_ERROR","message":"It failed."}}')
  })
  await add('broken', `${failing}/delivery/v1`, 'dlvk_sbx_broken')
  return sandboxes
}

/** Creates an order of an account without going through the program. */
export async function create({ baseUrl, apiKey, fetch }: RunningSandbox, reference: string): Promise<void> {
  const answer = await fetch(
    new Request(`${baseUrl}/deliveries`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', 'idempotency-key': reference },
      body: JSON.stringify({ ...order, clientOrderReference: reference }),
    }),
  )
  if (answer.status >= 300) throw new Error(await answer.text())
}
