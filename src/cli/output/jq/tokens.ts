import { UsageError } from '../../../contract/index.js'

export type Token =
  | { kind: 'name' | 'field' | 'symbol'; text: string }
  | { kind: 'string'; text: string }
  | { kind: 'number'; value: number }

const pattern =
  /\s+|(?<field>\.[A-Za-z_]\w*)|(?<name>[A-Za-z_]\w*)|(?<number>\d+(?:\.\d+)?)|(?<text>"(?:[^"\\]|\\.)*")|(?<symbol>\/\/|==|!=|<=|>=|\.\.|[.[\](){}|,:<>+\-*/%?])/y

/** Splits a `--jq` expression into tokens. Throws `UsageError` at what it does not know. */
export function tokens(expression: string): Token[] {
  const found: Token[] = []
  let at = 0
  while (at < expression.length) {
    pattern.lastIndex = at
    const match = pattern.exec(expression)
    if (match === null)
      throw new UsageError(`--jq: cannot read "${expression.slice(at, at + 20)}" at character ${at + 1}.`)
    at = pattern.lastIndex
    const { field, name, number, text, symbol } = match.groups ?? {}
    if (field !== undefined) found.push({ kind: 'field', text: field.slice(1) })
    else if (name !== undefined) found.push({ kind: 'name', text: name })
    else if (number !== undefined) found.push({ kind: 'number', value: Number(number) })
    else if (text !== undefined) found.push({ kind: 'string', text: unquoted(text) })
    else if (symbol !== undefined) found.push({ kind: 'symbol', text: symbol })
  }
  return found
}

function unquoted(text: string): string {
  try {
    return String(JSON.parse(text))
  } catch (cause) {
    throw new UsageError(`--jq: ${text} is not a string of JSON.`, { cause })
  }
}
