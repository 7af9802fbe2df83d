import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The public entries, with what each is for and the names that one needs first. */
const entries = {
  client: ['the typed HTTP client', 'createClient ClientOptions Client CallOptions createOnce ApiError'],
  webhooks: [
    'sign, verify, receive and replay webhooks',
    'expressReceiver fastifyReceiver honoReceiver fetchReceiver ReceiverOptions verify explainFailure sign testReceiver',
  ],
  sandbox: [
    'the whole service in your process',
    'startSandbox ServedSandboxOptions RunningSandbox createSandbox SandboxOptions Sandbox Steering',
  ],
  testing: ['a sandbox, its receiver and a client for tests', 'useSandbox startTestSandbox TestSandbox mswHandler'],
  bulk: ['resumable runs over many rows', 'run RunOptions RunSummary createAction updateAction cancelAction readRows'],
  listener: [
    'the listener of `dlv webhooks listen`, with its journal and its forwarding',
    'startListener ListenerOptions Listener readJournal findGaps',
  ],
  contract: [
    'the contract as data: operations, schemas, codes',
    'operationRows operationNames deliveryStatuses eventTypes errorCodes Delivery',
  ],
}

/** A page for each public entry, made from the declarations in `dist/types`. */
export function apiPages() {
  return Object.entries(entries).map(([name, [purpose, names]]) => {
    const first = names.split(' ')
    const declarations = declarationsOf(join('dist', 'types', name, 'index.d.ts'))
    const missing = first.filter((exported) => !declarations.has(exported))
    if (missing.length > 0) throw new Error(`dlv-cli/${name} does not export ${missing.join(', ')}`)
    const rank = ([exported, { code }]) =>
      first.includes(exported)
        ? first.indexOf(exported)
        : first.length + Number(/^export (?:declare )?(?:interface|type) /.test(code))
    const sections = [...declarations]
      .sort((one, other) => rank(one) - rank(other) || (one[0].toLowerCase() < other[0].toLowerCase() ? -1 : 1))
      .map(([exported, { comment, code }]) => `## ${exported}\n\n${comment}\n\n\`\`\`ts\n${code}\n\`\`\`\n`)
    const text = `# dlv-cli/${name}\n\nReference of \`dlv-cli/${name}\`: ${purpose}.\n\n${sections.join('\n')}`
    return { group: 'API', source: `api/${name}.md`, path: `api/${name}.html`, text }
  })
}

/** What a declaration file exports, itself or from others, by name. */
function declarationsOf(file, seen = new Set()) {
  const found = new Map()
  if (seen.has(file)) return found
  seen.add(file)
  const text = readFileSync(file, 'utf8')
  for (const [, names, from] of text.matchAll(/^export (?:type )?(\{[^}]*\}|\*) from ['"](\.[^'"]+)\.js['"];/gm)) {
    const others = declarationsOf(join(dirname(file), `${from}.d.ts`), new Set(seen))
    for (const [name, declaration] of others) {
      if (names === '*' || isNamed(names, name)) found.set(name, declaration)
    }
  }
  for (const [name, from] of passedOn(text)) {
    const declaration = declarationsOf(join(dirname(file), `${from}.d.ts`), new Set(seen)).get(name)
    if (declaration !== undefined) found.set(name, declaration)
  }
  for (const [name, declaration] of ownDeclarations(text)) found.set(name, declaration)
  return found
}

/** What a file imports and exports again, with the file that it comes from. */
function passedOn(text) {
  const exported = [...text.matchAll(/^export (\{[^}]*\});/gm)].map(([, names]) => names)
  return [...text.matchAll(/^import (?:type )?\{([^}]*)\} from ['"](\.[^'"]+)\.js['"];/gm)].flatMap(([, names, from]) =>
    names
      .split(',')
      .map((part) => part.trim().replace(/^type /, ''))
      .filter((name) => exported.some((list) => isNamed(list, name)))
      .map((name) => [name, from]),
  )
}

function isNamed(names, name) {
  return names
    .slice(1, -1)
    .split(',')
    .some(
      (part) =>
        part
          .trim()
          .replace(/^type /, '')
          .split(' as ')
          .at(-1) === name,
    )
}

/** Exported declarations begin at the first column and end before the next line that does. */
function ownDeclarations(text) {
  const declaration =
    /^(\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n)?(export (?:declare )?(?:abstract )?(?:function|const|class|interface|type|enum) ([\w$]+)[\s\S]*?)(?=^(?:\/\*\*|export |declare |import |interface |type |const |\/\/# )|(?![\s\S]))/gm
  return [...text.matchAll(declaration)].map(([, comment = '', code, name]) => [
    name,
    { comment: prose(comment), code: code.trim() },
  ])
}

/** The text of a comment; its tags as a list. */
function prose(comment) {
  const lines = comment
    .replace(/^\/\*\*|\*\/\s*$/g, '')
    .split('\n')
    .map((line) => line.replace(/^\s*\*? ?/, ''))
  const [text = '', ...tags] = lines.join('\n').trim().split(/^@/m)
  const items = tags
    .filter((tag) => !tag.startsWith('internal'))
    .map((tag) => {
      const [, name = '', body = ''] = /^(\w+)\s*([\s\S]*)$/.exec(tag.trim()) ?? []
      return name === 'example'
        ? `\n\`\`\`ts\n${body.trim()}\n\`\`\`\n`
        : `- **@${name}** ${body.replaceAll('\n', ' ').trim()}`
    })
  return [text.trim(), ...items].join('\n').replaceAll(/\{@link (\w+)\}/g, '`$1`')
}
