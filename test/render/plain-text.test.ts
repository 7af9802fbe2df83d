import { describe, expect, it } from 'vitest'
import { csvCell } from '../../src/render/csv.js'
import { plainLines, plainText, safeJson } from '../../src/render/plain-text.js'
import { anyCharacter } from '../support/any-character.js'
import { fc } from '../support/samples.js'

const live = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/

describe('text of the service', () => {
  it('loses whole escape sequences, not only their first character', () => {
    expect(plainText('\u001b[31mred\u001b[0m \u001b]0;owned\u0007\u009b1mbold')).toBe('red bold')
  })

  it('loses a link with its address, whatever signs that has', () => {
    for (const end of ['\u0007', '\u001b\\', '\u009c'])
      expect(plainText(`to \u001b]8;;https://track.example/a+b,(c)!$[%5D]${end}A-1\u001b]8;;${end} now`)).toBe(
        'to A-1 now',
      )
  })

  it('is read in one pass, however many sequences begin in it', () => {
    // With a search for an end from each beginning, these would take minutes.
    for (const begun of ['\u001b]', '\u001b]8;a', '\u001b[', '\u009b1;', '\u001b'])
      expect(live.test(plainText(begun.repeat(60_000)))).toBe(false)
  })

  it('reaches no terminal live, whatever it is', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: anyCharacter }),
        (text) => !live.test(plainText(text)) && !live.test(plainLines(text).replaceAll('\n', '')),
      ),
    )
  })

  it('keeps letters of every script and emoji', () => {
    expect(plainText('Zoë 北京 שלום 🏠')).toBe('Zoë 北京 שלום 🏠')
  })

  it('stays the same value in JSON, with nothing live in it', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        const printed = safeJson({ text })
        return !live.test(printed) && JSON.parse(printed).text === JSON.parse(JSON.stringify(text))
      }),
    )
  })
})

describe('a CSV cell', () => {
  for (const formula of [
    '=1+1',
    '+1',
    '-1+1',
    '@SUM(A1)',
    '\t=1',
    '\r=1',
    '=HYPERLINK("http://x")',
    '＝1+1',
    '＠SUM(A1)',
  ])
    it(`defuses ${JSON.stringify(formula)}`, () => {
      expect(csvCell(formula).replace(/^"/, '')).toMatch(/^'|^ /)
      expect(csvCell(formula, true).replace(/^"/, '')).not.toMatch(/^'/)
    })

  it('defuses what a semicolon or a line break would make a cell of its own', () => {
    expect(csvCell('a;=1+1;b')).toBe("a;'=1+1;b")
    expect(csvCell('a\n＋1')).toBe(`"a\n'＋1"`)
    expect(csvCell('a;=1+1', true)).toBe('a;=1+1')
  })

  it('leaves numbers as numbers and quotes what must be quoted', () => {
    expect(csvCell(-5)).toBe('-5')
    expect(csvCell('a,"b"\nc')).toBe('"a,""b""\nc"')
    expect(csvCell(null)).toBe('""')
  })
})
