export type Row = Record<string, unknown>

/** A statement. */
export interface Statement {
  /** Prepares it once for each session that belongs to this process; elsewhere it means nothing. */
  name?: string
  text: string
  /** `array` gives each row as a list, for a statement whose columns may share a name. */
  rowMode?: 'array'
  /** `extended`: as one statement, also without values. */
  queryMode?: 'extended'
  /** Reads values other than by their types; `getTypeParser` is asked for each column. */
  types?: { getTypeParser(): (text: string) => unknown }
}

/** A column of a result. */
export interface Field {
  name: string
  /** The id of its type in `pg_type`. */
  dataTypeID: number
}

export interface QueryOptions {
  /** Timeout of connecting in milliseconds; 0 for no limit. Default 3,000. */
  timeoutMs?: number
  /**
   * Whether a warning makes the result worthless and ends the connection: a commit whose wait for the standby was
   * cancelled is reported as a success with a warning.
   */
  isDurable?: boolean
  /** More bytes of an answer end the connection with a UsageError. */
  maxBytes?: number
  /** Told the columns of the result. */
  onFields?: (fields: readonly Field[]) => void
}

/** One session with the primary. Statements run one after another. */
export interface Connection {
  /** The server: `one:5432`. */
  readonly server: string
  /** The server's version, such as 150004. */
  readonly version: number
  /** Whether something between here and the server answers in its name. */
  readonly isPooled: boolean
  /** Whether the session belongs to this process until it ends: it may hold locks, settings and prepared statements. */
  readonly isOwn: boolean
  query(statement: string | Statement, values?: readonly unknown[], options?: QueryOptions): Promise<Row[]>
  isLost(): boolean
  /** Called once, when the connection has ended however it did. */
  onLost(listener: () => void): void
  onNotification(listener: (channel: string) => void): void
  /** Ends it without waiting for anything. */
  destroy(): void
  close(): Promise<void>
}

/** To one host of several, and to one that has no alternative. */
export const timeouts = { connectMs: 1_000, connectOnlyMs: 5_000, queryMs: 3_000 }

/**
 * Calls back after a time, once everything that had arrived by then was read: a process that was busy for as long has the
 * answer already and has not looked.
 *
 * @returns a function that prevents it
 */
export function afterReading(ms: number, late: () => void): () => void {
  let isOver = false
  let again: NodeJS.Immediate | undefined
  const timer = setTimeout(() => {
    // The first turn reads the network, and what it resolves is seen before the second.
    again = setImmediate(() => {
      again = setImmediate(() => {
        if (!isOver) late()
      })
    })
  }, ms)
  return () => {
    isOver = true
    clearTimeout(timer)
    if (again !== undefined) clearImmediate(again)
  }
}
