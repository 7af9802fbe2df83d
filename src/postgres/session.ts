import type { PostgresHost } from './address.js'
import { type Client, destroyClient } from './client.js'
import { type Connection, type Field, type QueryOptions, type Row, type Statement, timeouts } from './connection.js'
import { ConnectionLost, codeOf, DoubtfulWrite, failureWord } from './errors.js'

/** Runs statements on a client one after another, and notices however it ends. */
export function sessionOf(
  client: Client,
  { name: server }: PostgresHost,
  found: { version(): number; isPooled(): boolean },
): Connection {
  let isLost = false
  let isWarned = false
  let abandon: ((error: Error) => void) | undefined
  const lostListeners: (() => void)[] = []
  let last: Promise<unknown> = Promise.resolve()

  const lose = (why: string) => {
    if (isLost) return
    isLost = true
    destroyClient(client)
    abandon?.(new ConnectionLost(why))
    for (const listener of lostListeners) listener()
  }
  client.on('end', () => lose(`the connection to ${server} ended`))
  client.on('error', (error: Error) => lose(`the connection to ${server} failed (${failureWord(error)})`))
  // Texts are translated and may be anything; a notice without a warning has the code 00000.
  client.on('notice', ({ code }) => {
    if (code !== undefined && code !== '00000') isWarned = true
  })

  async function run(statement: Statement, values: readonly unknown[], options: QueryOptions): Promise<Row[]> {
    if (isLost) throw new ConnectionLost(`the connection to ${server} has ended`)
    isWarned = false
    const { timeoutMs = timeouts.queryMs } = options
    const timer =
      timeoutMs === 0 ? undefined : setTimeout(lose, timeoutMs, `${server} did not answer within ${timeoutMs} ms`)
    try {
      const answered = client.query({ ...statement, values: [...values] }) as Promise<{
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
      if (error instanceof DoubtfulWrite || codeOf(error)?.length === 5) throw error
      lose(`the connection to ${server} failed`)
      throw error instanceof ConnectionLost
        ? error
        : new ConnectionLost(`the connection to ${server} failed (${failureWord(error)})`, { cause: error })
    } finally {
      abandon = undefined
      clearTimeout(timer)
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
      isLost = true
      const timer = setTimeout(destroyClient, timeouts.connectMs, client)
      await client.end().catch(() => {})
      clearTimeout(timer)
    },
  }
}
