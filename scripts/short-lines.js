import { parseSync } from 'rolldown/utils'

/** Lines are broken at the first place after so many characters. */
const wanted = 120

/**
 * Breaks the lines of minified chunks. Node prints the line that threw an uncaught error: of a chunk in one line, that
 * would be the whole chunk.
 */
export function shortLines() {
  return {
    name: 'short-lines',
    generateBundle(_, bundle) {
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== 'chunk') continue
        const { code } = chunk
        const breaks = chosenBreaks(code)
        chunk.code = brokenAt(code, breaks)
        const map = bundle[`${chunk.fileName}.map`]
        if (map === undefined) continue
        const { mappings, ...rest } = JSON.parse(map.source)
        map.source = JSON.stringify({ ...rest, mappings: shiftedMappings(mappings, columnsByLine(code, breaks)) })
      }
    },
  }
}

/** The lists of a syntax tree before whose members a line may end. The first expression of a sequence may follow `return`. */
const lists = new Map([
  ['body', 0],
  ['consequent', 0],
  ['cases', 0],
  ['declarations', 0],
  ['properties', 0],
  ['elements', 0],
  ['arguments', 0],
  ['expressions', 1],
])

function* possibleBreaks(node) {
  for (const [key, value] of Object.entries(node)) {
    if (typeof value !== 'object' || value === null) continue
    const first = Array.isArray(value) ? lists.get(key) : undefined
    if (first !== undefined) for (const member of value.slice(first)) if (member?.type !== undefined) yield member.start
    yield* possibleBreaks(value)
  }
}

function chosenBreaks(code) {
  const { program, errors } = parseSync('chunk.js', code)
  if (errors.length > 0) throw new Error(`A chunk of the library cannot be parsed: ${errors[0].message}`)
  const chosen = []
  let lineStart = 0
  for (const position of [...new Set(possibleBreaks(program))].sort((a, b) => a - b)) {
    lineStart = Math.max(lineStart, code.lastIndexOf('\n', position - 1) + 1)
    if (position - lineStart < wanted) continue
    chosen.push(position)
    lineStart = position
  }
  return chosen
}

function brokenAt(code, breaks) {
  return [0, ...breaks].map((start, index) => code.slice(start, breaks[index])).join('\n')
}

/** The columns at which each line of the unbroken code was broken. */
function columnsByLine(code, breaks) {
  const lines = [[]]
  let lineStart = 0
  let next = 0
  for (let end = 0; end !== -1; lineStart = end + 1) {
    end = code.indexOf('\n', lineStart)
    for (; next < breaks.length && (end === -1 || breaks[next] <= end); next++)
      lines.at(-1).push(breaks[next] - lineStart)
    lines.push([])
  }
  return lines
}

/** A source map's mappings after the breaks: of each segment, only the column in the generated code changes. */
function shiftedMappings(mappings, columns) {
  return mappings
    .split(';')
    .map((line, index) => {
      const breaks = columns[index] ?? []
      const lines = [[]]
      let column = 0
      let previous = 0
      for (const segment of line === '' ? [] : line.split(',')) {
        const [delta, length] = readNumber(segment)
        column += delta
        while (lines.length <= breaks.length && column >= breaks[lines.length - 1]) {
          previous = breaks[lines.length - 1]
          lines.push([])
        }
        lines.at(-1).push(writeNumber(column - previous) + segment.slice(length))
        previous = column
      }
      while (lines.length <= breaks.length) lines.push([])
      return lines.map((segments) => segments.join(',')).join(';')
    })
    .join(';')
}

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/** The first number of a segment (base 64, least significant digits first, the sign in the lowest bit) and its length. */
function readNumber(text) {
  let value = 0
  for (let index = 0, shift = 0; ; index++, shift += 5) {
    const digit = digits.indexOf(text[index])
    value |= (digit & 31) << shift
    if ((digit & 32) === 0) return [value & 1 ? -(value >> 1) : value >> 1, index + 1]
  }
}

function writeNumber(number) {
  let rest = number < 0 ? (-number << 1) | 1 : number << 1
  let text = ''
  do {
    const more = rest >> 5 > 0 ? 32 : 0
    text += digits[(rest & 31) | more]
    rest >>= 5
  } while (rest > 0)
  return text
}
