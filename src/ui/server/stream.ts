import type { IncomingMessage, ServerResponse } from 'node:http'
import type { LiveItem } from '../wire/live.js'
import type { Feed } from './feed/feed.js'
import { safetyHeaders } from './page.js'

/** Proxies and browsers give up on a connection that stays silent. */
const heartbeatMs = 15_000
/** A page that reads slower than this many bytes behind is disconnected; it comes again and catches up. */
const maxBehindBytes = 8_388_608

/**
 * Server-sent events: `items` with new lines, whose id is the last line's, `clock` if the service's time was moved,
 * `reading` with whether the service can be read, and `reset` if the page has missed lines that are no longer kept.
 */
export function openStream(request: IncomingMessage, response: ServerResponse, feed: Feed): void {
  response.writeHead(200, {
    ...safetyHeaders,
    'content-type': 'text/event-stream; charset=utf-8',
    'x-accel-buffering': 'no',
  })
  const write = (text: string) => {
    response.write(text)
    if (response.writableLength > maxBehindBytes) response.destroy()
  }
  const tell = (items: readonly LiveItem[]) => {
    if (items.length > 0) write(messageOf(items))
  }
  const lastSeen = request.headers['last-event-id']
  if (typeof lastSeen === 'string' && /^\d{1,15}$/.test(lastSeen)) {
    const missed = feed.after(Number(lastSeen))
    if (missed === undefined) write('event: reset\ndata: {}\n\n')
    else tell(missed)
  } else write(': open\n\n')
  write(messageNamed('reading', feed.reading))
  const unfollow = feed.follow({
    items: tell,
    clock: (clock) => write(messageNamed('clock', clock)),
    reading: (reading) => write(messageNamed('reading', reading)),
  })
  const heartbeat = setInterval(() => write(': still here\n\n'), heartbeatMs)
  response.on('close', () => {
    clearInterval(heartbeat)
    unfollow()
  })
}

function messageNamed(name: string, data: object): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`
}

/** The same lines go to all pages: they are made text once. */
const messages = new WeakMap<readonly LiveItem[], string>()

function messageOf(items: readonly LiveItem[]): string {
  const known = messages.get(items)
  if (known !== undefined) return known
  const made = `event: items\nid: ${items.at(-1)?.id}\ndata: ${JSON.stringify(items)}\n\n`
  messages.set(items, made)
  return made
}
