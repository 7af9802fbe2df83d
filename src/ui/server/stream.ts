import type { IncomingMessage, ServerResponse } from 'node:http'
import type { LiveItem } from '../wire/live.js'
import type { Feed } from './feed/feed.js'

/** Proxies and browsers give up on a connection that stays silent. */
const heartbeatMs = 15_000
/** A page that reads slower than this many bytes behind is disconnected; it comes again and catches up. */
const maxBehindBytes = 8_388_608

/**
 * Server-sent events: `items` with new lines, whose id is the last line's, `clock` if the service's time was moved, and
 * `reset` if the page has missed lines that are no longer kept.
 */
export function openStream(request: IncomingMessage, response: ServerResponse, feed: Feed): void {
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  })
  const write = (text: string) => {
    response.write(text)
    if (response.writableLength > maxBehindBytes) response.destroy()
  }
  const tell = (items: readonly LiveItem[]) => {
    const last = items.at(-1)
    if (last !== undefined) write(`event: items\nid: ${last.id}\ndata: ${JSON.stringify(items)}\n\n`)
  }
  const lastSeen = request.headers['last-event-id']
  if (typeof lastSeen === 'string' && /^\d{1,15}$/.test(lastSeen)) {
    const missed = feed.after(Number(lastSeen))
    if (missed === undefined) write('event: reset\ndata: {}\n\n')
    else tell(missed)
  } else write(': open\n\n')
  const unfollow = feed.follow({
    items: tell,
    clock: (clock) => write(`event: clock\ndata: ${JSON.stringify(clock)}\n\n`),
  })
  const heartbeat = setInterval(() => write(': still here\n\n'), heartbeatMs)
  response.on('close', () => {
    clearInterval(heartbeat)
    unfollow()
  })
}
