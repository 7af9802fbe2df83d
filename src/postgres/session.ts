import { UsageError } from '../shared/dlv-error.js'
import { excerpt } from '../shared/texts.js'
import type { PostgresHost } from './address.js'
import { type Client, destroyClient, watchReceived } from './client.js'
import {
  afterReading,
  type Connection,
  type Field,
  type QueryOptions,
  type Row,
  type Statement,
  timeouts,
} from './connection.js'
import { ConnectionLost, DoubtfulWrite, failureWord, isAnswer } from './errors.js'

/** Runs statements on a client one after another, and notices however it ends. */
export function sessionOf(
  client: Client,
  { name: server }: PostgresHost,
  found: { version(): number; isPooled(): boolean; isOwn(): boolean },
): Connection {
  let isLost = false
  let isWarned = false
  let abandon: ((error: Error) => void) | undefined
  const lostListeners: (() => void)[] = []
  let last: Promise<unknown> = Promise.resolve()

  /** Why the server ended the session, if it said so while nothing was asked. */
  let cause: unknown

  const lose = (why: string) => {
    if (isLost) return
    isLost = true
    destroyClient(client)
    abandon?.(new ConnectionLost(why, { cause }))
    for (const listener of lostListeners) listener()
  }
  client.on('end', () => lose(`the connection to ${server} ended`))
  client.on('error', (error: Error) => {
    cause ??= error
    lose(`the connection to ${server} failed (${failureWord(error)})`)
  })
  // Texts are translated and may be anything; a notice without a warning has the code 00000.
  client.on('notice', ({ code }) => {
    if (code !== undefined && code !== '00000') isWarned = true
  })

  /** Ends the connection if an answer is larger than that: the client would hold all of it. */
  const limitBytes = (maxBytes: number) => {
    let left = maxBytes
    return watchReceived(client, (bytes) => {
      left -= bytes
      if (left >= 0) return
      const message = `The result is too big: more than ${maxBytes / 1_048_576} MB came at once.`
      abandon?.(new UsageError(message, { hint: 'Select fewer columns, or shorter values.' }))
      lose(`the answer of ${server} is too big`)
    })
  }

  async function run(statement: Statement, values: readonly unknown[], options: QueryOptions): Promise<Row[]> {
    if (isLost) throw new ConnectionLost(`the connection to ${server} has ended`, { cause })
    isWarned = false
    const { timeoutMs = timeouts.queryMs } = options
    const stopTimer =
      timeoutMs === 0
        ? () => {}
        : afterReading(timeoutMs, () => lose(`${server} did not answer within ${timeoutMs} ms`))
    const stopCounting = options.maxBytes === undefined ? () => {} : limitBytes(options.maxBytes)
    const { name, ...unnamed } = statement
    try {
      const sent = found.isOwn() && name !== undefined ? statement : unnamed
      const answered = client.query({ ...sent, values: [...values] }) as Promise<{
        rows?: Row[]
        fields?: Field[]
      }>
      const given = new Promise<never>((_, reject) => {
        abandon = reject
      })
      const { rows = [], fields = [] } = await Promise.race([answered, given])
      options.onFields?.(fields)
      if (options.isDurable === true && isWarned) {
        lose(`${server} warned during a write`)
        throw new DoubtfulWrite(`${server} warned that a write may not have reached its standby`)
      }
      return rows
    } catch (error) {
      // Errors of the server have a code of five characters; without one it is the connection that failed.
      if (error instanceof DoubtfulWrite || error instanceof UsageError) throw error
      if (isAnswer(error)) {
        flatten(error)
        // The server ends the session with these, whatever the client has heard of it yet.
        if ((error as { severity?: unknown }).severity === 'FATAL') {
          cause ??= error
          lose(`the connection to ${server} was ended by the server`)
        }
        throw error
      }
      lose(`the connection to ${server} failed`)
      throw error instanceof ConnectionLost
        ? error
        : new ConnectionLost(`the connection to ${server} failed (${failureWord(error)})`, { cause: error })
    } finally {
      abandon = undefined
      stopTimer()
      stopCounting()
    }
  }

  return {
    server,
    get version() {
      return found.version()
    },
    get isPooled() {
      return found.isPooled()
    },
    get isOwn() {
      return found.isOwn()
    },
    query(statement, values = [], options = {}) {
      const whole = typeof statement === 'string' ? { text: statement } : statement
      const result = last.then(() => run(whole, values, options))
      last = result.catch(() => {})
      return result
    },
    isLost: () => isLost,
    onLost(listener) {
      if (isLost) listener()
      else lostListeners.push(listener)
    },
    onNotification(listener) {
      client.on('notification', ({ channel }) => listener(channel))
    },
    destroy: () => lose(`the connection to ${server} was closed`),
    async close() {
      await last
      if (isLost) return
      // A pooler may not reset what it hands on.
      if (found.isOwn() && found.isPooled()) await run({ text: 'DISCARD ALL' }, [], {}).catch(() => {})
      isLost = true
      const timer = setTimeout(destroyClient, timeouts.connectMs, client)
      await client.end().catch(() => {})
      clearTimeout(timer)
    },
  }
}

/** A name or a value in a server's texts may hold lines that look like other messages. */
function flatten(error: unknown): void {
  const texts = error as Record<string, unknown>
  for (const name of ['message', 'detail', 'hint'])
    if (typeof texts[name] === 'string') texts[name] = excerpt(texts[name], 500)
}
