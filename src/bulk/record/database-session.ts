import {
  type Connection,
  connectPostgres,
  databaseError,
  isPassing,
  type PostgresAddress,
} from '../../postgres/index.js'
import { sleep } from '../../shared/sleep.js'

/** How long a run waits for an unreachable database: longer than a failover or a restart takes. */
const patienceMs = 30_000
const pauseMs = 250

/** One session at a time with the primary; statements that failed because it went away are sent again to its successor. */
export class DatabaseSession {
  #connection: Promise<Connection> | undefined

  constructor(
    private readonly address: PostgresAddress,
    private readonly subject: string,
  ) {}

  /**
   * Runs work that may be run twice.
   *
   * @throws DlvError if the database refuses it, or does not answer for half a minute
   */
  async run<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const startedMs = performance.now()
    for (;;) {
      try {
        return await work(await this.#session())
      } catch (error) {
        if (!isPassing(error) || performance.now() - startedMs > patienceMs) throw databaseError(error, this.subject)
        await sleep(pauseMs)
      }
    }
  }

  /** @throws DlvError if the database cannot be reached now */
  async open(prepare: (connection: Connection) => Promise<void>): Promise<void> {
    try {
      await prepare(await this.#session())
    } catch (error) {
      throw databaseError(error, this.subject)
    }
  }

  async #session(): Promise<Connection> {
    const known = await this.#connection?.catch(() => undefined)
    if (known !== undefined && !known.isLost()) return known
    this.#connection = connectPostgres(this.address, { applicationName: 'dlv bulk', isOwn: true })
    return this.#connection
  }

  async close(): Promise<void> {
    const known = await this.#connection?.catch(() => undefined)
    await known?.close()
  }
}
