import type { RequestToSend, Transport, TransportReply } from './transport.js'

/** What an attempt does when it is interrupted. */
export interface Interruptible {
  interrupt(reason: unknown): void
}

/**
 * Tells one attempt to end, as an `AbortSignal` does at a fraction of the cost: the signals that it follows have one
 * listener each, however many attempts there are, and a signal of its own is made only for a transport that needs one.
 */
export class Interruption {
  /** Told when the attempt has to end. */
  attempt: Interruptible | undefined
  isOver = false
  reason: unknown
  #controller: AbortController | undefined

  /** @param sources end the attempt when they abort; `stopFollowing` has to be called when it is over */
  constructor(private readonly sources: readonly (AbortSignal | undefined)[]) {
    for (let at = 0; at < sources.length; at++) {
      const source = sources[at]
      if (source === undefined) continue
      if (source.aborted) this.end(source.reason)
      else follow(source, this)
    }
  }

  end(reason: unknown): void {
    if (this.isOver) return
    this.isOver = true
    this.reason = reason
    this.#controller?.abort(reason)
    this.attempt?.interrupt(reason)
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.isOver) this.#controller.abort(this.reason)
    }
    return this.#controller.signal
  }

  stopFollowing(): void {
    for (let at = 0; at < this.sources.length; at++) {
      const source = this.sources[at]
      if (source !== undefined) unfollow(source, this)
    }
  }
}

interface Followers {
  all: Set<Interruption>
  onAbort(): void
}

const followers = new WeakMap<AbortSignal, Followers>()

function follow(source: AbortSignal, interruption: Interruption): void {
  const known = followers.get(source)
  if (known !== undefined) {
    known.all.add(interruption)
    return
  }
  const all = new Set([interruption])
  const onAbort = () => {
    followers.delete(source)
    for (const each of all) each.end(source.reason)
  }
  followers.set(source, { all, onAbort })
  source.addEventListener('abort', onAbort, { once: true })
}

function unfollow(source: AbortSignal, interruption: Interruption): void {
  const known = followers.get(source)
  if (known?.all.delete(interruption) !== true || known.all.size > 0) return
  followers.delete(source)
  source.removeEventListener('abort', known.onAbort)
}

/** Sends a request that can be interrupted without a signal. */
export type DirectSend = (
  request: RequestToSend,
  limits: { interruption: Interruption; maxBytes: number },
) => Promise<TransportReply>

/** By the transport: who wraps one, or copies its methods, is given a signal. */
const directSends = new WeakMap<Transport, DirectSend>()

/** Lets this package's own client send by a transport without making a signal. */
export function offerDirectSend(transport: Transport, send: DirectSend): void {
  directSends.set(transport, send)
}

/** The way to send by this transport. */
export function sendVia(transport: Transport): DirectSend {
  return (
    directSends.get(transport) ??
    ((request, { interruption, maxBytes }) => transport.send({ ...request, signal: interruption.signal, maxBytes }))
  )
}
