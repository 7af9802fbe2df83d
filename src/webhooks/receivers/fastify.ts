import { isBytes } from '../../shared/byte-codes.js'
import { type ReceiverOptions, receiver } from './receiver.js'

/** The part of a Fastify instance that is needed; every instance of version 4 and 5 has it. */
interface FastifyLike {
  removeAllContentTypeParsers(): void
  addContentTypeParser(
    type: string,
    options: { parseAs: 'buffer'; bodyLimit: number },
    parse: (request: unknown, body: Uint8Array, done: (error: Error | null, body?: unknown) => void) => void,
  ): unknown
  post(path: string, handler: (request: RequestLike, reply: ReplyLike) => Promise<unknown>): unknown
}

interface RequestLike {
  raw: { rawHeaders: readonly string[] }
  body?: unknown
}

interface ReplyLike {
  code(status: number): ReplyLike
  headers(values: Record<string, string>): ReplyLike
  send(body: string): unknown
}

/**
 * A plugin for Fastify: `app.register(fastifyReceiver({ path: '/hooks', … }))`. Within the plugin bodies stay raw;
 * the parsers of all other routes are left as they are.
 *
 * @throws UsageError at once if a secret cannot be used.
 */
export function fastifyReceiver(
  options: ReceiverOptions & {
    /** The path of the receiver, such as `/hooks`. */
    path: string
  },
) {
  const { receive, maxBodyBytes } = receiver(options, { path: 0 })
  return (instance: FastifyLike, _: unknown, done: () => void): void => {
    instance.removeAllContentTypeParsers()
    instance.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: maxBodyBytes }, (_request, body, parsed) => {
      parsed(null, body)
    })
    instance.post(options.path, async (request, reply) => {
      const raw = isBytes(request.body) ? request.body : new Uint8Array()
      const { status, headers, body } = await receive(request.raw.rawHeaders, raw)
      return reply.code(status).headers(headers).send(body)
    })
    done()
  }
}
