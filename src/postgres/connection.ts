export type Row = Record<string, unknown>

/** A statement; one with a name is prepared once for each connection. */
export interface Statement {
  name?: string
  text: string
  /** `array` gives each row as a list, for a statement whose columns may share a name. */
  rowMode?: 'array'
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
  query(statement: string | Statement, values?: readonly unknown[], options?: QueryOptions): Promise<Row[]>
  isLost(): boolean
  /** Called once, when the connection has ended however it did. */
  onLost(listener: () => void): void
  onNotification(listener: (channel: string) => void): void
  /** Ends it without waiting for anything. */
  destroy(): void
  close(): Promise<void>
}

export const timeouts = { connectMs: 1_000, queryMs: 3_000 }
