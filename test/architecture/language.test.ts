import { globSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

/** What the project does not write, with what it writes instead. */
const avoided: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/\banew\b/i, 'again'],
  [/\bat the (?:most|least)\b/i, 'at most, at least'],
  [/\b(?:goes|go|went) on (?!or off\b)(?:from|where|after|to|with|and|there|when)\b/i, 'continues'],
  [/\bby way of\b/i, 'with, through'],
  [/\bknows? no\b/i, 'is not a …, has no …'],
  [/\bnobody can be\b/i, 'no … is available, without a terminal'],
  [/\bis existing\b/i, 'exists'],
  [/\bwhat (?:became|becomes) of\b/i, 'the result of, the outcome of'],
  [/\bthe house\b|\bten rooms\b|\bfront desk of\b/i, 'the architecture, a module'],
  [/\bbelongs? into\b/i, 'belongs in'],
  [/\bthe key rests\b|\brests in (?:the|a) file\b/i, 'is saved in'],
  [/\bfor ever\b/i, 'forever'],
  [/\btime-outs?\b/i, 'timeout'],
  [/\blook-ups?\b/i, 'lookup'],
  [/\bdestin(?:y|ies)\b/i, 'scripted outcome'],
  [/\bjudge?ment\b.{0,20}\brests\b/i, 'result'],
  [/\bto be had\b|\bcannot be had\b/i, 'available'],
  [/\bwhat to mend\b/i, 'what to fix'],
  [/\b(?:whence|whither|hitherto|thereof|thereby|hence|lest|nay|unto)\b/i, 'a plain word'],
  [/\bbase address(?:es)?\b/i, 'base URL'],
  [/\bwhen the time (?:is|was) over\b/i, 'on a timeout'],
  [/\b(?:ids|types|results) alone\b/i, 'only …'],
  [/\bAs above\b|\*\* The same for\b/, 'a comment that stands alone'],
]

const files = [
  ...globSync('{src,scripts,bench,examples}/**/*.{ts,js,cjs,mjs}'),
  ...globSync('test/**/*.ts'),
  ...globSync('docs/*.md'),
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
].filter((file) => !/\.generated\.|^test\/architecture\/language\.test\.ts$/.test(file))

/** The lines of a text that use avoided words, with what to write instead. */
function findings(file: string, text: string): string[] {
  return text.split('\n').flatMap((line, index) =>
    avoided.flatMap(([pattern, instead]) => {
      const [found] = pattern.exec(line) ?? []
      return found === undefined ? [] : [`${file}:${index + 1}: "${found}" → ${instead}`]
    }),
  )
}

describe('The language of the project', () => {
  it('avoids stilted words in code, tests and docs', () => {
    expect(files.length).toBeGreaterThan(500)
    expect(files.flatMap((file) => findings(file, readFileSync(file, 'utf8')))).toEqual([])
  })

  it.each([
    ['Each event is signed anew.', 'again'],
    ['170 MB at the most', 'at most, at least'],
    ['it goes on where it was', 'continues'],
    ['--status knows no "faild"', 'is not a …, has no …'],
    ['this order is existing', 'exists'],
    ['What became of a row', 'the result of, the outcome of'],
  ])('finds: %s', (text, instead) => {
    expect(findings('page.md', text)).toEqual([expect.stringMatching(new RegExp(`^page\\.md:1: ".+" → ${instead}$`))])
  })

  it('leaves idioms alone', () => {
    expect(findings('page.md', 'A driver went on or off duty. Leave it alone. Go on.')).toEqual([])
  })
})
