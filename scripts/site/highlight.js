const words =
  'abstract|and|as|async|await|break|case|catch|class|const|continue|declare|def|default|delete|do|elif|else|end|enum|except|export|extends|False|finally|fn|for|from|func|function|go|if|implements|import|in|instanceof|interface|let|module|new|nil|None|not|null|of|or|package|private|public|readonly|require|return|satisfies|static|struct|switch|throw|True|true|false|try|type|typeof|undefined|using|val|var|void|while|with|yield'

const parts = {
  string: `${String.raw`"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`}\`(?:\\\\.|[^\`\\\\])*\``,
  number: String.raw`\b\d[\d_]*(?:\.\d+)?\b`,
  keyword: String.raw`\b(?:${words})\b`,
}
const slashes = String.raw`\/\/[^\n]*|\/\*[\s\S]*?\*\/`
const hash = String.raw`(?<![^\s])#[^\n]*`

/** What is marked in each language; other blocks stay as they are. */
const languages = new Map([
  ...['js', 'ts', 'tsx', 'java', 'go', 'php', 'rust'].map((name) => [name, { comment: slashes, ...parts }]),
  ...['python', 'ruby', 'yaml', 'toml'].map((name) => [name, { comment: hash, ...parts }]),
  ['json', { string: parts.string, number: parts.number, keyword: String.raw`\b(?:true|false|null)\b` }],
  ['sql', { comment: '--[^\\n]*', string: parts.string, number: parts.number, keyword: String.raw`\b[A-Z]{2,}\b` }],
  ...['sh', 'bash', 'console'].map((name) => [
    name,
    { prompt: '^[$>] ', comment: hash, string: parts.string, flag: String.raw`(?<=\s)--?[a-z][\w-]*` },
  ]),
])

const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** Code as HTML, its comments, strings, numbers and words in spans; their text is the code, unchanged. */
export function highlighted(code, language) {
  const marks = languages.get(language)
  if (marks === undefined) return escaped(code)
  const pattern = new RegExp(
    Object.entries(marks)
      .map(([name, part]) => `(?<${name}>${part})`)
      .join('|'),
    'gm',
  )
  let html = ''
  let end = 0
  for (const match of code.matchAll(pattern)) {
    const [name] = Object.entries(match.groups).find(([, text]) => text !== undefined)
    html += `${escaped(code.slice(end, match.index))}<span class="code-${name}">${escaped(match[0])}</span>`
    end = match.index + match[0].length
  }
  return html + escaped(code.slice(end))
}
