import { stripVTControlCharacters } from 'node:util'
import { quoted } from './typed-word.js'

type Rewrite = readonly [said: RegExp, text: (...parts: string[]) => string]

/** The messages of oclif's parser in our words. */
const rewrites: readonly Rewrite[] = [
  [/^Flag (--\S+) can only be specified once$/, (flag) => `${flag} may be given only once.`],
  [/^Flag (--\S+) expects a value$/, (flag) => `${flag} needs a value.`],
  [
    /^Flag (--\S+) expects one of these values: (.+)$/,
    (flag, words) => `${flag} needs a value: ${alternatives(words)}.`,
  ],
  [
    /^Expected (--[^=]+)=(.*) to be one of: (.+)$/,
    (flag, value, words) => `${flag}: expected ${alternatives(words)}, got ${quoted(value)}.`,
  ],
  [/^Expected (.*) to be one of: (.+)$/, (value, words) => `Expected ${alternatives(words)}, got ${quoted(value)}.`],
  [
    /^Parsing (--\S+) Expected an integer but received: ?(.*)$/,
    (flag, value) => `${flag}: expected a whole number, got ${quoted(value)}.`,
  ],
  [
    /^Parsing (--\S+) Expected an integer greater than or equal to (\S+) but received: (.*)$/,
    (flag, least, value) => `${flag}: expected ${least} or more, got ${value}.`,
  ],
  [
    /^Parsing (--\S+) Expected an integer less than or equal to (\S+) but received: (.*)$/,
    (flag, most, value) => `${flag}: expected ${most} or less, got ${value}.`,
  ],
  [/^Missing required flag (\S+)$/, (flag) => `Missing flag: --${flag}.`],
  [
    /^(--[^=\s]+)=.* cannot also be provided when using (--\S+)$/,
    (flag, other) => `${[flag, other].sort().join(' and ')} cannot be used together.`,
  ],
  [
    /^All of the following must be provided when using (--\S+): (.+)$/,
    (flag, others) => `${flag} needs ${others.replaceAll(', ', ' and ')}.`,
  ],
]

/** The parser's message in our words; `undefined` for an unknown one. */
export function parserMessage(message: string): string | undefined {
  const lines = stripVTControlCharacters(message)
    .replace(/\n+See more help with --help\s*$/, '')
    .replace(/^(Parsing --\S+) ?\n\s*/, '$1 ')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => !/^(?:$|The following errors? occurred:$)/.test(line))
  const texts = lines.map(rewritten)
  return texts.includes(undefined) || texts.length === 0 ? undefined : [...new Set(texts)].join(' ')
}

function rewritten(line: string): string | undefined {
  for (const [said, text] of rewrites) {
    const parts = said.exec(line)
    if (parts !== null) return text(...parts.slice(1))
  }
  return undefined
}

function alternatives(words: string | undefined): string {
  const all = (words ?? '').split(', ')
  return all.length === 1 ? (all[0] ?? '') : `${all.slice(0, -1).join(', ')} or ${all.at(-1)}`
}
