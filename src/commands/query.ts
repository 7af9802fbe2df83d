import { Args, Flags } from '@oclif/core'
import {
  type ArchivePaths,
  type ArchiveQuery,
  ArchiveReader,
  archivePaths,
  exampleQueries,
  postgresArchive,
} from '../archive/index.js'
import { sayAge } from '../cli/archive/current.js'
import { BaseCommand } from '../cli/command/base-command.js'
import { repeatable } from '../cli/command/write-flags.js'
import { databaseAddress } from '../cli/input/network-addresses.js'
import { endingOf, ownerOf, parametersOf, refuseEmpty, relationsNamed, statementOf } from '../cli/query/asked.js'
import { limited, type RunningQuery, startQuery } from '../cli/query/run-query.js'
import { examplesView, resultView, schemaView } from '../cli/query/views.js'
import type { Session } from '../cli/session/session.js'
import { UsageError } from '../contract/index.js'

export default class Query extends BaseCommand {
  static override summary = 'Ask the archive with SQL.'
  static override description = [
    'Reads the archive that dlv sync fills, without a request: SQLite with the tables and views of --schema. One statement, and only one that reads. Rows are printed as they are found, except by -o json; Ctrl-C and --timeout end a query at once.',
    "A value of --param that is a number is bound as one; every other is text. NULL is empty in tables and CSV, null in JSON; bytes are hexadecimal, and inflate(body) gives the JSON of a body. Names, phone numbers, addresses and events' JSON are in a second file, which --people attaches. Of several accounts (-P a,b) each table and view has the rows of all, with a column profile.",
    "--to asks the copy that dlv sync --to keeps in a PostgreSQL database, with PostgreSQL's own SQL, in a transaction that only reads. The names of tables and views mean the rows of this account; with --all-accounts those of every account in the database, with a column account. What else it may read there is decided by the rights of its user.",
  ].join('\n\n')
  static override examples = [
    "<%= config.bin %> query 'select * from problems'",
    "<%= config.bin %> query 'select store_reference, count(*) n from deliveries where status = :s group by 1' --param s=failed",
    "<%= config.bin %> query 'select * from daily' -o csv > daily.csv",
    '<%= config.bin %> query --file late-stores.sql --json',
    "<%= config.bin %> query --to postgres://dlv@db.example.com/dlv 'select * from daily order by day'",
    "<%= config.bin %> query 'select profile, count(*) n from problems group by 1' -P 'acme-*'",
    '<%= config.bin %> query --schema problems',
    '<%= config.bin %> query --examples',
  ]
  static override args = {
    sql: Args.string({
      description: 'SQL statement, or - for standard input; with --schema, a table',
      ignoreStdin: true,
    }),
  }
  static override flags = {
    file: Flags.string({ summary: 'Read the statement from a file', helpValue: 'FILE' }),
    param: Flags.string({ summary: 'Value of :name; repeatable', helpValue: 'NAME=VALUE', ...repeatable }),
    to: Flags.string({ summary: 'Ask the copy in a database', helpValue: 'postgres://…' }),
    'all-accounts': Flags.boolean({ summary: 'Read all accounts of the database', dependsOn: ['to'] }),
    limit: Flags.integer({ summary: 'Maximum number of rows', helpValue: 'N', min: 1 }),
    // For agents, whose context is small.
    'limit-characters': Flags.integer({ summary: 'Maximum length of all values', hidden: true }),
    people: Flags.boolean({ summary: 'Attach names, phones, addresses and JSON of events' }),
    schema: Flags.boolean({ summary: 'Describe tables and columns', exclusive: ['file', 'examples'] }),
    examples: Flags.boolean({ summary: 'Ten queries to copy', exclusive: ['file'] }),
  }

  protected override worksOnSeveral(): boolean {
    return true
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Query)
    if (flags.schema) return this.session.show(schemaView, relationsNamed(args.sql))
    if (flags.examples) return this.session.show(examplesView, exampleQueries)
    const sql = await statementOf(this.session, args.sql, flags.file)
    const parameters = parametersOf(flags.param ?? [])
    const asked = { sql, parameters, withPeople: flags.people }
    if (flags.to !== undefined && this.profiles !== undefined)
      throw new UsageError('--to asks one database, and several accounts were asked for.', {
        hint: '--all-accounts asks all that were copied there.',
      })
    const { columns, pages: all } =
      flags.to === undefined
        ? await this.askFile(asked)
        : await this.askDatabase(flags.to, flags['all-accounts'], asked)
    const running = { columns, pages: limited(all, flags.limit, flags['limit-characters']) }
    const { view, pages } = await resultView(running, this.session.output)
    await this.session.output.pages(view, pages)
  }

  private async askFile(asked: Omit<ArchiveQuery, 'paths'>): Promise<RunningQuery> {
    const ending = endingOf(this.session)
    const all = await this.openAccounts(async ({ profile = '', session }) => {
      const paths = archivePaths(this.config.dataDir, await session.account.dataName())
      // Of several, one without an archive hides nothing of the others.
      if (profile !== '') refuseEmpty(paths)
      return { profile, paths, session }
    })
    const [first] = all
    if (first === undefined) return { columns: [], pages: noPages() }
    const accounts = this.profiles && all.map(({ profile, paths }) => ({ profile, paths }))
    const running = await startQuery({ paths: first.paths, accounts, ...asked }, ending)
    for (const { paths, session } of all) this.sayAge(paths, session)
    return running
  }

  private async askDatabase(to: string, isAll: boolean, asked: Omit<ArchiveQuery, 'paths'>): Promise<RunningQuery> {
    const [{ queryDatabase }, address] = [await postgresArchive(), databaseAddress(to)]
    const owner = isAll ? undefined : await ownerOf(this.session)
    return queryDatabase({ to: address, env: this.session.context.env, owner, ...asked }, endingOf(this.session))
  }

  /** A query asks nobody for what is new: whoever reads its answer on a terminal sees how old that is. */
  private sayAge(paths: ArchivePaths, { context, output, notices }: Session): void {
    if (!output.forPeople) return
    const archive = ArchiveReader.open(paths)
    this.session.onClose(() => archive.close())
    sayAge(archive, undefined, { context, output, notices, isFresh: false })
  }
}

async function* noPages(): AsyncGenerator<unknown[][]> {}
