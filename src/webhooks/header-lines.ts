/**
 * Headers in any of the shapes in which a program holds them: `rawHeaders` of `node:http` (names and values in turn),
 * `Headers` of the Fetch standard, an object by name, or the whole request. Of a `node:http` request `rawHeaders` are
 * taken, because only they still tell two lines from one; where a platform leaves them empty, its `headers`.
 */
export type HeaderSource =
  | readonly string[]
  | {
      /** Names and values in turn, as they came. */
      rawHeaders?: readonly string[]
      /** The headers by name, if there are no raw ones. */
      headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>
    }
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
export function headerLines(given: HeaderSource): HeaderLines {
  const source = isRequest(given) ? ((given.rawHeaders ?? []).length > 0 ? given.rawHeaders : given.headers) : given
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

type HeaderRequest = Extract<HeaderSource, { headers: object }>

/** A request that holds its headers; a header that is named `headers` is a text. */
function isRequest(source: HeaderSource): source is HeaderRequest {
  const { headers } = (source ?? {}) as Partial<HeaderRequest>
  return typeof headers === 'object' && headers !== null && !Array.isArray(headers)
}

function isRaw(source: HeaderSource): source is readonly string[] {
  return Array.isArray(source)
}

function isFetchHeaders(source: object): source is Headers {
  return typeof (source as Partial<Headers>).entries === 'function'
}
