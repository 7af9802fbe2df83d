import { type Answer, type HttpExchange, MAX_BODY_BYTES } from './exchange.js'

/** A `Request` of this process as the shell sees it. */
export function exchangeOfRequest(request: Request, closed: AbortSignal): HttpExchange {
  const { pathname, search } = new URL(request.url)
  const exchange: HttpExchange = {
    method: request.method,
    path: pathname,
    search,
    header: (name) => request.headers.get(name) ?? undefined,
    body: async () => {
      exchange.received = await readBody(request)
      return exchange.received
    },
    received: undefined,
    address: undefined,
    reachedAt: undefined,
    signal: AbortSignal.any([request.signal, closed]),
  }
  return exchange
}

async function readBody(request: Request): Promise<Uint8Array | 'too large'> {
  const bytes = new Uint8Array(await request.arrayBuffer())
  return bytes.length > MAX_BODY_BYTES ? 'too large' : bytes
}

/** The answer as a `Response`; faults of transport become what a failing `fetch` does. */
export function responseOf(answer: Answer, exchange: HttpExchange): Response | Promise<Response> {
  if (answer.transport === 'HANG') return untilAborted(exchange.signal)
  if (answer.transport === 'RESET') throw connectionReset()
  const bytes = new TextEncoder().encode(answer.body)
  const headers = { ...answer.headers, Date: new Date().toUTCString(), 'Content-Length': String(bytes.length) }
  const init = { status: answer.status, headers }
  if (exchange.method === 'HEAD') return new Response(null, init)
  return new Response(answer.transport === 'TRUNCATE' ? cutShort(bytes) : bytes, init)
}

function cutShort(bytes: Uint8Array): ReadableStream<Uint8Array> {
  let isSent = false
  return new ReadableStream({
    pull(controller) {
      if (isSent) controller.error(connectionReset())
      else controller.enqueue(bytes.subarray(0, bytes.length >> 1))
      isSent = true
    },
  })
}

function connectionReset(): TypeError {
  const cause = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })
  return new TypeError('fetch failed', { cause })
}

function untilAborted(signal: AbortSignal): Promise<Response> {
  return new Promise((_, reject) => {
    const abort = () => reject(signal.reason)
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
  })
}
