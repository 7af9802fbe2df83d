/** `npm run history-docs` writes the queries, tables and columns of docs/history.md, from `src/archive/`. */
import { readFileSync, writeFileSync } from 'node:fs'
import { bundled } from './bundled.js'

const page = 'docs/history.md'
const source = `
  export { archiveSchema } from './src/archive/relations.ts'
  export { exampleQueries } from './src/archive/relations.ts'
  export { commandOf } from './src/cli/query/views.ts'
`

/** The page with the current sections between its marks. */
export async function withHistory(text) {
  const { archiveSchema, exampleQueries, commandOf } = await bundled('history-docs', source)
  const queries = exampleQueries.map((query) => `# ${query.about}\n$ ${commandOf(query)}`).join('\n\n')
  const tables = archiveSchema().map(({ name, kind, file, about, columns }) => {
    const rows = columns.map(
      (column) => `| \`${column.name}\` | ${column.type} | ${column.about.replaceAll('|', '\\|')} |`,
    )
    const where = file === 'people' ? ' In the second file.' : ''
    return [`### ${name}`, '', `A ${kind}. ${about}${where}`, '', '| Column | Type | |', '|---|---|---|', ...rows].join(
      '\n',
    )
  })
  return filled(filled(text, 'queries', `\`\`\`console\n${queries}\n\`\`\``), 'tables', tables.join('\n\n'))
}

function filled(text, name, content) {
  const [begin, end] = [`<!-- ${name} -->\n`, `<!-- ${name}: end -->`]
  const [at, to] = [text.indexOf(begin) + begin.length, text.indexOf(end)]
  if (at < begin.length || to < at) throw new Error(`${page} lacks the marks of ${name}`)
  return `${text.slice(0, at)}\n${content}\n\n${text.slice(to)}`
}

if (import.meta.main) writeFileSync(page, await withHistory(readFileSync(page, 'utf8')))
