/**
 * Headers in any of the shapes in which a program holds them: `rawHeaders` of `node:http` (names and values in turn),
 * `Headers` of the Fetch standard, or an object by name. Prefer `rawHeaders`: only it still tells two lines from one.
 */
export type HeaderSource =
  | readonly string[]
  | Headers
  | Readonly<Record<string, string | readonly string[] | undefined>>

/** The values under each name that matters here, one for each line of the request, compared without regard to case. */
export type HeaderLines = Map<string, string[]>

const names: ReadonlySet<string> = new Set([
  'content-encoding',
  ...['webhook', 'svix'].flatMap((prefix) => [`${prefix}-id`, `${prefix}-timestamp`, `${prefix}-signature`]),
])

/**
 * Reads the headers of a signature into lines; names in lower case. If the source has joined two lines of a signature with
 * ", ", as `Headers` and Node's `headers` do, they are told apart again.
 */
export function headerLines(source: HeaderSource): HeaderLines {
  const lines: HeaderLines = new Map()
  const add = (name: string, value: unknown) => {
    if (typeof value !== 'string') return
    const key = name.toLowerCase()
    if (!names.has(key)) return
    const values = lines.get(key)
    if (values === undefined) lines.set(key, [value])
    else values.push(value)
  }
  if (typeof source !== 'object' || source === null) return lines
  if (isRaw(source)) {
    for (let index = 0; index + 1 < source.length; index += 2) add(String(source[index]), source[index + 1])
    return lines
  }
  for (const [name, value] of isFetchHeaders(source) ? source.entries() : Object.entries(source)) {
    for (const line of Array.isArray(value) ? value : [value]) add(name, line)
  }
  const signatures = lines.get('webhook-signature')
  if (signatures?.length === 1 && isJoined(signatures[0] ?? '')) signatures.push('')
  return lines
}

/** A token that ends with a comma, other than a bare version, is where one line ended and the next was joined on. */
function isJoined(signature: string): boolean {
  return signature
    .split(' ')
    .slice(0, -1)
    .some((token) => token.endsWith(',') && !/^v\w*,$/i.test(token))
}

function isRaw(source: HeaderSource): source is readonly string[] {
  return Array.isArray(source)
}

function isFetchHeaders(source: object): source is Headers {
  return typeof (source as Partial<Headers>).entries === 'function'
}
