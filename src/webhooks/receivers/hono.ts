import { fetchReceiver } from './fetch.js'
import type { ReceiverOptions } from './receiver.js'

/** The part of a Hono context that is needed. */
interface ContextLike {
  req: { raw: Request }
}

/**
 * A handler for Hono: `app.post('/hooks', honoReceiver({ … }))`. Reads the raw body itself, so no validator may have
 * read it before.
 *
 * @throws UsageError at once if a secret cannot be used.
 */
export function honoReceiver(options: ReceiverOptions): (context: ContextLike) => Promise<Response> {
  const receive = fetchReceiver(options)
  return (context) => receive(context)
}
