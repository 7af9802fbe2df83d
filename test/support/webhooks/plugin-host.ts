import type { IncomingMessage, ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import type { fastifyReceiver } from '../../../src/webhooks/index.js'
import { startHttpServer } from '../http-server.js'

type Plugin = ReturnType<typeof fastifyReceiver>
type Instance = Parameters<Plugin>[0]
type Parser = Parameters<Instance['addContentTypeParser']>[2]
type Reply = Parameters<Parameters<Instance['post']>[1]>[1]

interface Route {
  handler: Parameters<Instance['post']>[1]
  parser: Parser
  bodyLimit: number
}

/**
 * A server that takes plugins as Fastify does: each has parsers of its own, and a route reads its body with those of the
 * plugin that added it. Fastify itself is tried by `.ci/frameworks`.
 */
export function startPluginHost(plugin: Plugin): Promise<string> {
  const routes = new Map<string, Route>()
  const register = (add: Plugin) => {
    const parsers = new Map<string, Omit<Route, 'handler'>>([
      ['application/json', { parser: parseJson, bodyLimit: 1 << 20 }],
    ])
    const instance: Instance = {
      removeAllContentTypeParsers: () => parsers.clear(),
      addContentTypeParser: (type, { bodyLimit }, parser) => parsers.set(type, { parser, bodyLimit }),
      post(path, handler) {
        const read = parsers.get('*') ?? parsers.get('application/json')
        if (read !== undefined) routes.set(path, { ...read, handler })
      },
    }
    add(instance, {}, () => {})
  }
  register((instance, _, done) => {
    instance.post('/echo', async ({ body }, reply) => reply.code(200).send(JSON.stringify(body)))
    done()
  })
  register(plugin)
  return startHttpServer(async (request, response) => {
    const route = routes.get(request.url ?? '')
    if (route === undefined) response.writeHead(404).end()
    else await answer(route, request, response)
  })
}

const parseJson: Parser = (_, bytes, done) => done(null, JSON.parse(Buffer.from(bytes).toString()))

async function answer({ parser, bodyLimit, handler }: Route, request: IncomingMessage, response: ServerResponse) {
  const bytes = await buffer(request)
  if (bytes.length > bodyLimit) return void response.writeHead(413).end('{"code":"FST_ERR_CTP_BODY_TOO_LARGE"}')
  const body = await new Promise<unknown>((resolve, reject) =>
    parser(request, bytes, (error, parsed) => (error === null ? resolve(parsed) : reject(error))),
  )
  const reply: Reply = {
    code(status) {
      response.statusCode = status
      return reply
    },
    headers(values) {
      for (const [name, value] of Object.entries(values)) response.setHeader(name, value)
      return reply
    },
    send: (text) => response.end(text),
  }
  await handler({ raw: request, body }, reply)
}
