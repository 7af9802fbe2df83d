import { AccessDeniedError, ConnectionError, UsageError } from '../shared/dlv-error.js'
import { excerpt, sentence } from '../shared/texts.js'

/** An error that a server, or a pooler in its name, has answered with. */
interface Answer {
  message: string
  /** Its SQLSTATE. */
  code: string
  /** The function of PostgreSQL that reported it; texts are translated. */
  routine?: string
  /** Whether the connection was encrypted. */
  isEncrypted?: boolean
}

/** One kind of answer, and the error for it. */
interface AnswerKind {
  matches: RegExp | ((answer: Answer) => boolean)
  /** What is said between the subject and the server's own words. */
  finding: string
  hint: string
  /** `denied` ends with exit code 3, `usage` with 2, and what may pass with 8. */
  as: 'denied' | 'usage' | 'passing' | 'timeout'
}

/** Whether PostgreSQL has no line in pg_hba.conf for this user, database and address, encrypted or not. */
const isUnlisted = ({ code, routine, message }: Answer) =>
  code === '28000' && (routine === 'ClientAuthentication' || message.includes('pg_hba.conf'))

const said = (pattern: RegExp) => (answer: Answer) => pattern.test(answer.message)

const resetHint = (name: string) =>
  `Run ALTER ROLE … SET ${name} = 0 for its user (or ALTER DATABASE …), or ask who set it.`

/** The first one that matches is meant. PgBouncer has one SQLSTATE for all of its own errors, and texts that are not translated. */
const kinds: readonly AnswerKind[] = [
  {
    matches: (answer) => isUnlisted(answer) && answer.isEncrypted === false,
    finding: 'takes no connection of this kind',
    hint: 'If pg_hba.conf of the server asks for encryption (hostssl), add sslmode=require or sslmode=verify-full to the address; otherwise add a line for this user, database and address to it.',
    as: 'denied',
  },
  {
    matches: isUnlisted,
    finding: 'takes no connection of this kind',
    hint: 'Add a line for this user, database and address to pg_hba.conf of the server.',
    as: 'denied',
  },
  {
    matches: said(/^(?:no such database|database "[^"]*" does not exist)/),
    finding: 'does not exist',
    hint: 'Create the database with createdb; behind PgBouncer, add it to [databases] of pgbouncer.ini.',
    as: 'usage',
  },
  {
    matches: said(/statement pooling mode/),
    finding: 'is behind a pooler in statement mode, which has no transactions',
    hint: 'Name the server itself, or set the pooler to session or transaction mode for this database.',
    as: 'usage',
  },
  {
    matches: said(/^unsupported startup parameter/),
    finding: 'is behind a pooler that refuses a parameter',
    hint: 'Leave options out of the address, or add the parameter to ignore_startup_parameters of pgbouncer.ini.',
    as: 'usage',
  },
  {
    matches: said(/^(?:query_wait_timeout|client_login_timeout)/),
    finding: 'is behind a pooler that has no free connection',
    hint: 'Is the server behind the pooler running? Otherwise raise default_pool_size: a listener holds up to eight sessions for as long as it runs.',
    as: 'passing',
  },
  {
    matches: said(/no more connections allowed/),
    finding: 'takes no more connections',
    hint: 'Raise max_client_conn of the pooler, or end sessions that nobody needs.',
    as: 'passing',
  },
  {
    matches: said(/server login|cannot connect to server|server conn crashed|server closed/i),
    finding: 'is behind a pooler that cannot reach its server',
    hint: 'Is PostgreSQL running behind the pooler? Its log says why it cannot connect.',
    as: 'passing',
  },
  {
    matches: /^28|^08P01 .*auth\w* failed/s,
    finding: 'refused the user or the password',
    hint: 'Set PGPASSWORD, or PGPASSFILE to a file of lines host:port:database:user:password.',
    as: 'denied',
  },
  {
    matches: /^42501 .*(?:for (?:schema|table|view|sequence)|owner of) /s,
    finding: 'denied access',
    hint: 'What is named there belongs to another user of the database: connect as that one, or have it GRANT what is missing: USAGE on the schema, SELECT on its tables.',
    as: 'denied',
  },
  {
    matches: /^42501/,
    finding: 'denied access',
    hint: 'The first start creates the schema dlv, so its user needs CREATE on the database.',
    as: 'denied',
  },
  {
    matches: /^25006/,
    finding: 'takes no writes from this user (default_transaction_read_only is on, or it has become a standby)',
    hint: 'See who set it with SELECT * FROM pg_db_role_setting; undo it with ALTER ROLE … RESET default_transaction_read_only, or ALTER DATABASE …. Providers turn it on when a disk is full.',
    as: 'denied',
  },
  {
    matches: /^53100/,
    finding: 'takes nothing: the disk of the database is full',
    hint: 'What was not acknowledged will be sent again. Make room on the disk; it continues by itself.',
    as: 'passing',
  },
  {
    matches: /^53300/,
    finding: 'takes no more connections',
    hint: 'Raise max_connections (or the CONNECTION LIMIT of the role or database), or end sessions that nobody needs.',
    as: 'passing',
  },
  {
    matches: /^3[DF]000/,
    finding: 'does not exist',
    hint: 'Create the database with createdb.',
    as: 'usage',
  },
  {
    matches: /^(?:26000|42P05)/,
    finding: 'is behind a pooler in transaction mode, which breaks prepared statements',
    hint: 'Name the server itself, or set the pooler to session mode for this database.',
    as: 'usage',
  },
  {
    matches: /^42(?:P01|703|883|704)/,
    finding: 'is damaged',
    hint: 'A table or column of the schema dlv is missing. Restore it from a backup; what is left is untouched.',
    as: 'usage',
  },
  {
    matches: /^57014/,
    finding: 'cancelled a statement (statement_timeout of the role or database, or pg_cancel_backend)',
    hint: resetHint('statement_timeout'),
    as: 'timeout',
  },
  {
    matches: /^55P03/,
    finding: 'is locked by another session (lock_timeout)',
    hint: 'Try again; SELECT * FROM pg_locks WHERE NOT granted shows who waits.',
    as: 'passing',
  },
  {
    matches: /^25P03/,
    finding: 'ended a transaction that waited (idle_in_transaction_session_timeout)',
    hint: `${resetHint('idle_in_transaction_session_timeout')} Or read the rows faster, such as into a file.`,
    as: 'timeout',
  },
  {
    matches: /^25P04/,
    finding: 'ended a long transaction (transaction_timeout)',
    hint: resetHint('transaction_timeout'),
    as: 'timeout',
  },
  {
    matches: /^57P05/,
    finding: 'ended a session that waited (idle_session_timeout)',
    hint: resetHint('idle_session_timeout'),
    as: 'timeout',
  },
  {
    matches: /^57P03/,
    finding: 'is starting, stopping or recovering',
    hint: 'Try again in a moment. A standby that takes no connections has hot_standby = off.',
    as: 'passing',
  },
  {
    matches: /^57P/,
    finding: 'ended the session',
    hint: 'The server was restarted, or somebody used pg_terminate_backend. Try again.',
    as: 'passing',
  },
  {
    matches: /^40/,
    finding: 'rolled the statement back',
    hint: 'Try again. On a standby, max_standby_streaming_delay or hot_standby_feedback gives a query more time.',
    as: 'passing',
  },
  {
    matches: /^(?:08|53|58)/,
    finding: 'could not execute a statement',
    hint: 'Try again; the log of the server says more.',
    as: 'passing',
  },
]

/** The error for an answer. A server that answered can be reached: what it said is named, with what to do about it. */
export function answeredError(answer: Error, subject: string, cause: unknown): UsageError | ConnectionError {
  const given = answer as unknown as Answer
  const why = excerpt(given.message, 500)
  const kind = kinds.find(({ matches }) =>
    typeof matches === 'function' ? matches(given) : matches.test(`${given.code} ${why}`),
  )
  if (kind === undefined) return new UsageError(`${subject} cannot be used: ${why} (${given.code}).`, { cause })
  const { finding, hint, as } = kind
  const message = `${subject} ${finding}: ${sentence(why)}`
  if (as === 'denied') return new AccessDeniedError(message, { hint, cause })
  if (as === 'usage') return new UsageError(message, { hint, cause })
  return new ConnectionError(message, { reason: as === 'timeout' ? 'timeout' : 'other', hint, cause })
}
