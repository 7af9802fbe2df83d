/** Why a text cannot be a key or a secret, as the end of a sentence, and the remedy. Neither quotes the text. */
interface PasteFault {
  why: string
  hint: string
}

const quotes = /["'`\u00ab\u00bb\u2018-\u201f]/

/** Words that stand where a value is missing; compared in lower case and without what is not a letter or digit. */
const emptyWords: ReadonlySet<string> = new Set(
  'null nil none undefined nan void true false yes no on off na tbd todo fixme empty unset objectobject'.split(' '),
)

const placeholderWords =
  /change.?(?:me|it|this)|placeholder|(?<![a-z\d])(?:replace|redacted|masked|hidden|insert|your)(?![a-z\d])|replace.?(?:me|this|with)/i

/** Paths that are base64 too; any other that begins with a slash has a character that base64 lacks, or only small letters. */
const absolutePath =
  /^\/(?:run|etc|var|home|[uU]sers|tmp|opt|mnt|srv|usr|root|secrets|app|private|data|dev|vault|proc)\/|^(?:\/[a-z][a-z._-]*){2,}$/
const relativePath = /^(?:~|\.{1,2})[/\\]|^[A-Za-z]:[/\\]|^\\\\|^@\S+[/.]/
const fileName = /^[\w.-]*(?:\/[\w.-]+)*\.(?:txt|key|pem|secret|env|json|ya?ml)$/i

const fault = (why: string, hint: string): PasteFault => ({ why, hint })

/**
 * The fault of a text that was meant to be a key or a secret and is something else: a value with its quotes, a variable
 * that nothing expanded, a placeholder, a path, an address. `undefined` if nothing speaks against it.
 */
export function pasteFault(text: string): PasteFault | undefined {
  const value = text.trim()
  return (
    quoteFault(value) ??
    assignmentFault(value) ??
    templateFault(value) ??
    referenceFault(value) ??
    placeholderFault(value)
  )
}

/** The fault of a text that cannot be an API key; `undefined` if it can be one. */
export function apiKeyFault(text: string): PasteFault | undefined {
  if (text === '') return fault('it is empty', 'Is the variable set that it comes from?')
  const pasted = pasteFault(text)
  if (pasted !== undefined) return pasted
  if (text.startsWith('whsec_'))
    return fault('it is a webhook secret', 'The API key is another one: it starts with dlvk_.')
  if (/^[\u0021-\u007e]{1,4096}$/.test(text)) return undefined
  // A header cannot carry it, so it was copied incorrectly.
  return fault(
    'it contains spaces, line breaks or non-ASCII characters',
    'Copy it again, without "Bearer" in front; one that comes from a file may need trim().',
  )
}

function quoteFault(value: string): PasteFault | undefined {
  const isQuoted = quotes.test(value[0] ?? '') || quotes.test(value.at(-1) ?? '')
  if (!isQuoted) return undefined
  return fault('it is in quotes', 'Remove the quotes: files of variables that no shell reads keep them.')
}

/** Base64 ends with its equals signs. */
const assignment = /^(?:export\s+|set\s+|setx\s+|\$env:)?[A-Za-z_][\w.-]*\s*=\s*[^=\s]/i

function assignmentFault(value: string): PasteFault | undefined {
  if (!assignment.test(value)) return undefined
  return fault('it begins with the name of a variable', 'Pass only what stands after the equals sign.')
}

/** Variables, commands and expressions as shells, Windows, GitHub, Helm, Terraform and CloudFormation write them. */
const templates = [
  /\$\{.*\}?/s,
  /\{\{|\}\}/,
  /^\$\(/,
  /^\$[A-Za-z_]\w*(?:[:.]\w+)*$/,
  /^\$env:/i,
  /^%\w[^%]*%$/,
  /^!\w+!$/,
  /^<%.*%>$/s,
  /^!(?:Ref|Sub|GetAtt)\b/,
  /^@(?:Microsoft\.KeyVault\b|@?\w*\()/,
  /^(?:process\.env|os\.environ|ENV|secrets|env|vars|var|local)\b[.[]/,
]

function templateFault(value: string): PasteFault | undefined {
  if (!templates.some((template) => template.test(value))) return undefined
  return fault(
    'it is a variable or an expression that was not expanded',
    'Is the variable set, and does something expand it here? Single quotes and files of variables keep it as it is.',
  )
}

const stores =
  /^(?:op|vault|aws-?sm|awsssm|ssm|gcp-?sm|gcpsecretmanager|sm|azurekeyvault|akv|doppler|infisical|keyvault|secretsmanager|sops|bws|env|keychain|keyring|bitwarden|ref\+\w+):/i

function referenceFault(value: string): PasteFault | undefined {
  if (stores.test(value) || /^arn:\w|^projects\/[^/]+\/secrets\/|^ENC\[/i.test(value))
    return fault(
      'it is a reference to a secret in a store',
      "Start the program with the store's own tool, which puts the secret in its place.",
    )
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(value)) return fault('it is an address', 'Pass the secret itself.')
  if (/^-----BEGIN/.test(value)) return fault('it is a key in PEM form', 'Pass the text that the service issued.')
  const isPath = [relativePath, absolutePath, fileName].some((path) => path.test(value))
  return isPath ? fault('it is a path', 'Pass what the file contains, not its name.') : undefined
}

function placeholderFault(value: string): PasteFault | undefined {
  const bare = value.replace(/^whsec_/i, '')
  const word = bare.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')
  if (bare !== '' && /^[*•●∙·.…_-]+$/u.test(bare))
    return fault('it is masked', 'Copy the value itself: where it was copied from, it is not shown.')
  const isPlaceholder =
    emptyWords.has(word) ||
    /^<.*>$|^\[.*\]$|^\{.*\}$/s.test(bare) ||
    /…|\.{3}$|\*{3}|x{8}/i.test(bare) ||
    /(?:^|_)x{3,}$/i.test(bare) ||
    placeholderWords.test(bare)
  return isPlaceholder ? fault('it is a placeholder', 'Put the value that the service issued in its place.') : undefined
}
