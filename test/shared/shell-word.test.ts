import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { shellWord } from '../../src/shared/command-words.js'

/** Marks of direction, zero-width characters, separators of lines, and tags, which no reader sees. */
const unseen = ['\u202e', '\u2066', '\u200f', '\u061c', '\u200b', '\ufeff', '\u2028', '\u00ad', '\u{e0041}', '\u0007']

it('A word to copy shows all that is in it, and the shell reads it back', () => {
  const words = [...unseen.map((mark) => `A-1${mark}x '\\`), "it's", 'Zoë 東京', 'plain-1']
  const shown = words.map(shellWord)
  expect(shown.join(' ')).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
  const env = { ...process.env, LC_ALL: 'C.UTF-8' }
  const read = execFileSync('bash', ['-c', `printf '%s\\0' ${shown.join(' ')}`], { encoding: 'utf8', env })
  expect(read.split('\0').slice(0, -1)).toEqual(words)
})
