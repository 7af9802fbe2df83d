import { UsageError } from '../../../contract/index.js'
import { type Token, tokens } from './tokens.js'

export type Expression =
  | { kind: 'identity' }
  | { kind: 'literal'; value: unknown }
  | { kind: 'field'; of: Expression; name: string }
  | { kind: 'index'; of: Expression; index: Expression }
  | { kind: 'slice'; of: Expression; from?: Expression; to?: Expression }
  | { kind: 'each'; of: Expression }
  | { kind: 'quiet'; of: Expression }
  | { kind: 'pipe' | 'comma'; left: Expression; right: Expression }
  | { kind: 'binary'; operator: string; left: Expression; right: Expression }
  | { kind: 'call'; name: string; arguments: Expression[] }
  | { kind: 'array'; of?: Expression }
  | { kind: 'object'; entries: { key: Expression; value: Expression }[] }
  | { kind: 'if'; condition: Expression; then: Expression; otherwise: Expression }

const precedence: readonly (readonly string[])[] = [
  ['//'],
  ['or'],
  ['and'],
  ['==', '!=', '<', '<=', '>', '>='],
  ['+', '-'],
  ['*', '/', '%'],
]

/** Parses a `--jq` expression. Throws `UsageError` that names what was expected. */
export function parse(source: string): Expression {
  const stream = tokens(source)
  let at = 0

  const peek = (): Token | undefined => stream[at]
  const next = (): Token | undefined => stream[at++]
  const shown = (token: Token | undefined): string =>
    token === undefined ? 'the end' : token.kind === 'number' ? String(token.value) : `"${token.text}"`
  const isText = (kind: 'symbol' | 'name', text: string): boolean => {
    const token = peek()
    return token !== undefined && token.kind === kind && token.text === text
  }
  const take = (kind: 'symbol' | 'name', text: string): boolean => {
    if (!isText(kind, text)) return false
    at++
    return true
  }
  const expect = (kind: 'symbol' | 'name', text: string): void => {
    if (!take(kind, text)) throw new UsageError(`--jq: expected "${text}", not ${shown(peek())}.`)
  }

  const pipe = (): Expression => {
    let left = comma()
    while (take('symbol', '|')) left = { kind: 'pipe', left, right: comma() }
    return left
  }
  const comma = (): Expression => {
    let left = binary(0)
    while (take('symbol', ',')) left = { kind: 'comma', left, right: binary(0) }
    return left
  }
  const binary = (level: number): Expression => {
    const operators = precedence[level]
    if (operators === undefined) return postfix()
    let left = binary(level + 1)
    for (;;) {
      const token = peek()
      if (token === undefined || (token.kind !== 'symbol' && token.kind !== 'name') || !operators.includes(token.text))
        return left
      at++
      left = { kind: 'binary', operator: token.text, left, right: binary(level + 1) }
    }
  }
  const postfix = (): Expression => {
    let of = primary()
    for (;;) {
      const token = peek()
      if (token?.kind === 'field') {
        at++
        of = { kind: 'field', of, name: token.text }
      } else if (take('symbol', '?')) of = { kind: 'quiet', of }
      else if (take('symbol', '[')) of = bracket(of)
      else if (isText('symbol', '.') && stream[at + 1]?.kind === 'string') {
        at++
        of = { kind: 'index', of, index: primary() }
      } else return of
    }
  }
  const bracket = (of: Expression): Expression => {
    if (take('symbol', ']')) return { kind: 'each', of }
    if (take('symbol', ':')) {
      const to = pipe()
      expect('symbol', ']')
      return { kind: 'slice', of, to }
    }
    const index = signed()
    if (take('symbol', ':')) {
      if (take('symbol', ']')) return { kind: 'slice', of, from: index }
      const to = signed()
      expect('symbol', ']')
      return { kind: 'slice', of, from: index, to }
    }
    expect('symbol', ']')
    return { kind: 'index', of, index }
  }
  const signed = (): Expression =>
    take('symbol', '-') ? { kind: 'binary', operator: '-', left: { kind: 'literal', value: 0 }, right: pipe() } : pipe()

  const primary = (): Expression => {
    const token = next()
    if (token === undefined) throw new UsageError('--jq: the expression ends too early.')
    if (token.kind === 'number') return { kind: 'literal', value: token.value }
    if (token.kind === 'string') return { kind: 'literal', value: token.text }
    if (token.kind === 'field') return { kind: 'field', of: { kind: 'identity' }, name: token.text }
    if (token.kind === 'name') return named(token.text)
    switch (token.text) {
      case '.':
        return peek()?.kind === 'string'
          ? { kind: 'index', of: { kind: 'identity' }, index: primary() }
          : { kind: 'identity' }
      case '-':
        return { kind: 'binary', operator: '-', left: { kind: 'literal', value: 0 }, right: postfix() }
      case '(': {
        const inner = pipe()
        expect('symbol', ')')
        return inner
      }
      case '[': {
        if (take('symbol', ']')) return { kind: 'array' }
        const of = pipe()
        expect('symbol', ']')
        return { kind: 'array', of }
      }
      case '{':
        return object()
      default:
        throw new UsageError(`--jq: did not expect ${shown(token)}.`)
    }
  }
  const named = (name: string): Expression => {
    if (name === 'true' || name === 'false') return { kind: 'literal', value: name === 'true' }
    if (name === 'null') return { kind: 'literal', value: null }
    if (name === 'if') {
      const condition = pipe()
      expect('name', 'then')
      const then = pipe()
      const otherwise: Expression = take('name', 'else') ? pipe() : { kind: 'identity' }
      expect('name', 'end')
      return { kind: 'if', condition, then, otherwise }
    }
    const given: Expression[] = []
    if (take('symbol', '(')) {
      given.push(pipe())
      expect('symbol', ')')
    }
    return { kind: 'call', name, arguments: given }
  }
  const object = (): Expression => {
    const entries: { key: Expression; value: Expression }[] = []
    while (!take('symbol', '}')) {
      if (entries.length > 0) expect('symbol', ',')
      const token = next()
      let key: Expression
      if (token?.kind === 'symbol' && token.text === '(') {
        key = pipe()
        expect('symbol', ')')
      } else if (token?.kind === 'name' || token?.kind === 'string') key = { kind: 'literal', value: token.text }
      else throw new UsageError(`--jq: expected the name of a property, not ${shown(token)}.`)
      const value: Expression = take('symbol', ':')
        ? binary(0)
        : { kind: 'index', of: { kind: 'identity' }, index: key }
      entries.push({ key, value })
    }
    return { kind: 'object', entries }
  }

  const expression = pipe()
  if (at < stream.length) throw new UsageError(`--jq: did not expect ${shown(peek())}.`)
  return expression
}
