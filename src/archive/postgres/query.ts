import {
  beginTransaction,
  type Connection,
  connectPostgres,
  type DatabaseAccount,
  databaseError,
  type Field,
  markToRead,
  parsePostgresAddress,
} from '../../postgres/index.js'
import { UsageError } from '../../shared/dlv-error.js'
import { distinct, type QueryParameter } from '../query.js'
import { schemaHint } from '../relations.js'
import { copiedRelations, markOf, schemas } from './schema.js'

/** Rows that are fetched at once: few as long as nobody knows how wide they are. */
const mostRows = 500
/** What the rows that are fetched at once should have, and may have at most. */
const [usualBytes, mostBytes] = [4 * 1_048_576, 64 * 1_048_576]

/** A statement of the user for the archive in a PostgreSQL database. */
interface DatabaseQuery {
  /** Address of the database, which begins with `postgres://`. */
  to: string
  env: NodeJS.ProcessEnv
  sql: string
  parameters: Readonly<Record<string, QueryParameter>>
  /** Find the tables with personal data by their names. */
  withPeople: boolean
  /** The account whose rows the names of tables and views mean; without it, they mean those of all accounts. */
  owner?: { account: DatabaseAccount; name: string } | undefined
}

interface DatabaseResult {
  columns: readonly string[]
  pages: AsyncIterable<unknown[][]>
}

/** A query ends soon after this program, on servers whose system can tell. */
const endWithClient = `SELECT set_config('client_connection_check_interval', '1s', true) WHERE version() LIKE '%linux%'`

/** The types whose texts PostgreSQL writes differently from SQLite, by their ids in `pg_type`. */
const typeIds = {
  bool: 16,
  bytea: 17,
  int8: 20,
  int2: 21,
  int4: 23,
  float4: 700,
  float8: 701,
  timestamptz: 1184,
  numeric: 1700,
}

/**
 * Runs one statement in a transaction that only reads, as a cursor: whatever is not a query is refused by the server. The
 * rights of the database user decide what else it may read.
 *
 * @throws UsageError with PostgreSQL's message, and the reason of the signal
 */
export async function queryDatabase(query: DatabaseQuery, signal: AbortSignal): Promise<DatabaseResult> {
  const address = parsePostgresAddress(query.to, query.env)
  const subject = `The archive ${address.shown}`
  signal.throwIfAborted()
  let connection: Connection | undefined
  const end = () => connection?.destroy()
  const failed = (error: unknown) => {
    end()
    signal.removeEventListener('abort', end)
    if (signal.aborted) return signal.reason
    return isOfStatement(error)
      ? new UsageError(`${error.message}.`, { hint: hintOf(error), cause: error })
      : databaseError(error, subject)
  }
  signal.addEventListener('abort', end)
  try {
    connection = await connectPostgres(address, { applicationName: 'dlv query', acceptStandby: true })
    if ((await markOf(connection, subject)) === undefined)
      throw new UsageError(`${subject} does not exist yet.`, { hint: 'Run `dlv sync --to ADDRESS` first.' })
    await refuseWithoutRights(connection, query, subject)
    const { text, values, path } = scoped(query, await accountToRead(connection, query, subject))
    // Ended by the end of this connection, which a pooler takes for the end of the session: whatever a statement of the
    // user has done to it reaches nobody else.
    await beginTransaction(connection, { isReadOnly: true, settings: { search_path: path, jit: 'off' } })
    await connection.query(endWithClient)
    const declaration = { queryMode: 'extended' as const, text: `DECLARE dlv_query NO SCROLL CURSOR FOR ${text}` }
    await connection.query(declaration, values, { timeoutMs: 0 })
    const first = await fetchPage(connection, 1)
    return { columns: first.columns, pages: pagesOf(connection, first, failed, end, signal) }
  } catch (error) {
    throw failed(error)
  }
}

/**
 * @throws UsageError if the user of the database may not use a schema that the statement's names are looked up in, which
 *   PostgreSQL passes over as if it were not there
 */
async function refuseWithoutRights(connection: Connection, { withPeople }: DatabaseQuery, subject: string) {
  for (const schema of [schemas.archive, ...(withPeople ? [schemas.people] : [])]) {
    const [row] = await connection.query(
      `SELECT quote_ident(current_user) AS role, has_schema_privilege(to_regnamespace($1), 'USAGE') AS may`,
      [schema],
    )
    if (row?.may !== false) continue
    throw new UsageError(`${subject} does not let its user ${row.role} use the schema ${schema}.`, {
      hint: `As its owner: GRANT USAGE ON SCHEMA ${schema} TO ${row.role}; GRANT SELECT ON ALL TABLES IN SCHEMA ${schema} TO ${row.role};`,
    })
  }
}

/** The mark under which the database keeps the account's rows; `undefined` for all accounts. */
async function accountToRead(
  connection: Connection,
  { owner }: DatabaseQuery,
  subject: string,
): Promise<string | undefined> {
  if (owner === undefined) return undefined
  const mark = await markToRead(connection, owner.account).catch((error: unknown) => {
    if (!isOfStatement(error)) throw error
    throw new UsageError(`${subject} does not let its user tell accounts apart: ${error.message}.`, {
      hint: 'Grant it USAGE on the schema dlv and SELECT on dlv.accounts, or read the rows of all accounts: --all-accounts.',
      cause: error,
    })
  })
  const [row] = await connection.query(
    `SELECT count(*) AS accounts, count(*) FILTER (WHERE account = $1) AS own FROM ${schemas.archive}.accounts`,
    [mark],
  )
  if (Number(row?.own) > 0) return mark
  const others = Number(row?.accounts)
  throw new UsageError(
    `${subject} has nothing of the account "${owner.name}"; it keeps ${others === 1 ? 'that of another account' : `those of ${others} other accounts`}.`,
    {
      hint: "Run `dlv sync --to ADDRESS` first, or choose the account with -P; --all-accounts reads every account's rows, with a column account.",
    },
  )
}

/** The statement with the rows of one account behind the names of tables and views, and where other names are looked up. */
function scoped(
  { sql, parameters, withPeople }: DatabaseQuery,
  account: string | undefined,
): { text: string; values: unknown[]; path: string } {
  const { text, values } = numbered(sql, parameters)
  if (account === undefined)
    return { text, values, path: [schemas.archive, ...(withPeople ? [schemas.people] : [])].join(', ') }
  const own = copiedRelations
    .filter(({ name, file }) => (withPeople || file === 'archive') && new RegExp(`\\b${name}\\b`, 'i').test(text))
    .map(
      ({ name, file, columns }) =>
        `${name} AS NOT MATERIALIZED (SELECT ${columns.join(', ')} FROM ${schemas[file]}.${name} WHERE account = $${values.length + 1})`,
    )
  // Nothing else of the archive is found by its name alone.
  const path = 'pg_catalog, pg_temp'
  if (own.length === 0) return { text, values, path }
  return { text: `WITH ${own.join(', ')} SELECT * FROM (\n${text}\n) AS dlv_query`, values: [...values, account], path }
}

/** An error of the statement, and not of the server: a wrong name, a value that cannot be read, a write. */
function isOfStatement(error: unknown): error is Error {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' && /^(?:0A|21|22|25|34|42|54)/.test(code)
}

/** PostgreSQL's own hint, or what a statement for the archive in a file has to change for this one. */
function hintOf(error: Error & { code?: unknown; hint?: unknown }): string {
  const name = /"(?:\w+\.)?(\w+)"/.exec(error.message)?.[1] ?? ''
  switch (error.code) {
    case '42P01':
      // Its rows can be selected by this name; it is no table that a statement could change.
      if (copiedRelations.some((relation) => relation.name === name && relation.file === 'archive'))
        return 'dlv query only reads.'
      return schemaHint('table', name)
    case '42883':
      return "--to takes PostgreSQL's own SQL, such as percentile_cont and to_char, not SQLite's or median(x)."
    case '42601':
      return error.message.includes('";"') ? 'Only one statement a query.' : schemaHint('table', '')
    case '42501': {
      const [, kind, denied] = / for (schema|table|view) (\w+)$/.exec(error.message) ?? []
      if (kind === 'schema') return `As its owner: GRANT USAGE ON SCHEMA ${denied} TO the user of the database.`
      const relation = copiedRelations.find((one) => one.name === denied)
      return relation === undefined
        ? 'GRANT lets the user of the database read it.'
        : `As its owner: GRANT SELECT ON ${schemas[relation.file]}.${relation.name} TO the user of the database.`
    }
    case '42703':
      return typeof error.hint === 'string' ? error.hint : schemaHint('column', name)
    default:
      return schemaHint('table', '')
  }
}

/** Rows of a query, and how many to ask for next: 0 after the last. */
interface Page {
  columns: string[]
  rows: unknown[][]
  next: number
}

async function fetchPage(connection: Connection, wanted: number): Promise<Page> {
  let fields: readonly Field[] = []
  const statement = {
    text: `FETCH ${wanted} FROM dlv_query`,
    rowMode: 'array' as const,
    types: { getTypeParser: () => (text: string) => text },
  }
  const rows = (await connection.query(statement, [], {
    timeoutMs: 0,
    maxBytes: mostBytes,
    onFields: (found) => {
      fields = found
    },
  })) as unknown as (string | null)[][]
  const lengths = rows.map((row) => row.reduce((sum, text) => sum + (text?.length ?? 0), 0))
  const fitting = Math.floor(usualBytes / Math.max(1, ...lengths))
  return {
    next: rows.length < wanted ? 0 : Math.max(1, Math.min(4 * wanted, fitting, mostRows)),
    columns: distinct(fields.map(({ name }) => name)),
    rows: rows.map((row) => row.map((text, index) => shownValue(text, fields[index]?.dataTypeID))),
  }
}

async function* pagesOf(
  connection: Connection,
  first: Page,
  failed: (error: unknown) => unknown,
  end: () => void,
  signal: AbortSignal,
): AsyncGenerator<unknown[][]> {
  try {
    for (let page = first; ; page = await fetchPage(connection, page.next)) {
      if (page.rows.length > 0) yield page.rows
      if (page.next === 0) return
    }
  } catch (error) {
    throw failed(error)
  } finally {
    signal.removeEventListener('abort', end)
    end()
  }
}

/** Values as the file gives them: integers of any size, times in RFC 3339, bytes in hexadecimal. */
function shownValue(text: string | null, type = 0): unknown {
  if (text === null) return null
  switch (type) {
    case typeIds.bool:
      return text === 't' ? 1 : 0
    case typeIds.int2:
    case typeIds.int4:
    case typeIds.int8:
      return Number.isSafeInteger(Number(text)) ? Number(text) : BigInt(text)
    case typeIds.float4:
    case typeIds.float8:
    case typeIds.numeric:
      return Number.isFinite(Number(text)) && text.length <= 16 ? Number(text) : text
    case typeIds.timestamptz:
      return timeOf(text)
    case typeIds.bytea:
      return text.replace(/^\\x/, '')
    default:
      return text
  }
}

function timeOf(text: string): string {
  const time = new Date(text.replace(' ', 'T').replace(/\+00$/, 'Z'))
  return Number.isNaN(time.getTime()) ? text : time.toISOString()
}

/** Texts, quoted names and comments, in which a colon means nothing, a cast, or a parameter. */
const parts =
  /\b[eE]'(?:\\.|''|[^'\\])*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|(\$\w*\$)[\s\S]*?\1|::|:([A-Za-z_]\w*)/g

/** The statement with `$1` for each named parameter. */
function numbered(sql: string, given: DatabaseQuery['parameters']): { text: string; values: unknown[] } {
  const names: string[] = []
  const text = sql.replace(/;\s*$/, '').replaceAll(parts, (part: string, _: unknown, name: string | undefined) => {
    if (name === undefined) return part
    if (!names.includes(name)) names.push(name)
    return `$${names.indexOf(name) + 1}`
  })
  const missing = names.find((name) => !Object.hasOwn(given, name))
  if (missing !== undefined)
    throw new UsageError(`The query needs a value for :${missing}.`, { hint: `Add --param ${missing}=VALUE.` })
  const unknown = Object.keys(given).find((name) => !names.includes(name))
  if (unknown !== undefined)
    throw new UsageError(`--param ${unknown}: the query has no parameter :${unknown}.`, {
      hint: `Write :${unknown} where its value belongs.`,
    })
  return { text, values: names.map((name) => String(given[name])) }
}
