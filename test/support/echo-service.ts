import { jsonMembers } from '../../src/webhooks/listed-events.js'
import { startHttpServer } from './http-server.js'
import type { ServedSandbox } from './sandbox/served-sandbox.js'

/** A service that gives back the `metadata` of its orders, byte for byte, in deliveries, lists and events. */
export interface EchoService {
  env: NodeJS.ProcessEnv
  /** The bodies that arrived, as text, each with its method and path. */
  received: { request: string; body: string; key: string | undefined }[]
}

/** Starts one in front of a sandbox; it is gone after the test. */
export async function startEchoService({ running, env }: Pick<ServedSandbox, 'running' | 'env'>): Promise<EchoService> {
  const received: EchoService['received'] = []
  const kept = new Map<string, string>()
  const origin = await startHttpServer(async (request, response) => {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece as Buffer)
    const body = Buffer.concat(pieces)
    const { method = '', url = '', headers } = request
    const key = headers['idempotency-key']?.toString()
    if (body.length > 0) received.push({ request: `${method} ${url}`, body: body.toString(), key })
    const sent = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
      typeof value !== 'string' || /^(?:host|connection|content-length|accept-encoding)$/.test(name)
        ? []
        : [[name, value]],
    )
    const answer = await fetch(new URL(url, running.baseUrl), {
      method,
      headers: sent,
      ...(body.length > 0 ? { body } : {}),
    })
    const text = await answer.text()
    const metadata = jsonMembers(body)?.get('metadata')
    const [deliveryId] = text.match(/del_\w+/) ?? []
    if (metadata !== undefined && deliveryId !== undefined) kept.set(deliveryId, Buffer.from(metadata).toString())
    const passed = ['content-type', 'date', 'x-request-id', 'idempotency-replayed'].flatMap((name) => {
      const value = answer.headers.get(name)
      return value === null ? [] : [[name, value] as const]
    })
    response.writeHead(answer.status, Object.fromEntries(passed))
    response.end(
      text.replace(/"deliveryId":"(del_\w+)"/g, (member, id: string) =>
        kept.has(id) ? `${member},"metadata":${kept.get(id)}` : member,
      ),
    )
  })
  const { DLV_API_KEY } = env()
  return { env: { DLV_API_KEY, DLV_BASE_URL: `${origin}/delivery/v1` }, received }
}
