import { setTimeout as pause } from 'node:timers/promises'
import type { Client } from '../client/index.js'
import type { Listener, PullOptions } from '../listener/index.js'
import type { NamedSecret } from '../profiles/index.js'

/** Where events are pulled from and into what. */
export interface PullInput {
  client: Client
  listener: Listener
  secret: NamedSecret
  sinceMs: number | undefined
  /** Fetch what there is and end, instead of going on. */
  once: boolean
  cursorName: string
  onError: (error: unknown) => void
  signal: AbortSignal
}

/** Fetches events from the service and hands them to the listener as though they had been posted. */
export async function pullInto(input: PullInput): Promise<void> {
  const { client, listener, secret, sinceMs, once, cursorName, onError, signal } = input
  const { pullEvents } = await import('../listener/index.js')
  const finished = new AbortController()
  const options: PullOptions = {
    listEvents: (query) => client.call('listEvents', { query }),
    listener: once && sinceMs !== undefined ? { ...listener, cursor: () => String(sinceMs) } : listener,
    secret,
    cursorName,
    onError,
    signal: AbortSignal.any([signal, finished.signal]),
    ...(sinceMs === undefined ? {} : { sinceMs }),
  }
  if (!once) return pullEvents(options)
  const sleep = async (spanMs: number) => {
    finished.abort()
    await pause(Math.min(spanMs, 1))
  }
  return pullEvents({ ...options, sleep })
}
