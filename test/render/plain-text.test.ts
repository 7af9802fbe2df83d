import { describe, expect, it } from 'vitest'
import { csvCell } from '../../src/render/csv.js'
import {
  pad,
  plainLines,
  plainText,
  safeJson,
  shorten,
  shortenMiddle,
  textWidth,
  wrap,
} from '../../src/render/plain-text.js'
import { JsonNumber } from '../../src/shared/json-number.js'
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

describe('JSON', () => {
  it('has no half of a character, which jq and others refuse all of a text for', () => {
    const cut = '🏠'.slice(0, 1)
    const printed = safeJson({ [cut]: `Ann ${cut}`, whole: '🏠', path: 'C:\\ud83c', twice: `${cut}${cut}x` })
    expect(printed).not.toMatch(/(?<!\\)\\ud/)
    expect(JSON.parse(printed)).toEqual({
      '\ufffd': 'Ann \ufffd',
      whole: '🏠',
      path: 'C:\\ud83c',
      twice: '\ufffd\ufffdx',
    })
  })
})

describe('a column of text', () => {
  it('is as wide as told, on either side, and no narrower than its text', () => {
    expect([pad('12', 4), pad('12', 4, 'right'), pad('12345', 4), pad('北京', 6)]).toEqual([
      '12  ',
      '  12',
      '12345',
      '北京  ',
    ])
  })

  it('is cut at its end, or in its middle with most of its end kept', () => {
    expect([shorten('ORDER-12345', 11), shorten('ORDER-12345', 8), shorten('北京北京', 6)]).toEqual([
      'ORDER-12345',
      'ORDER-1…',
      '北京…',
    ])
    expect([
      shortenMiddle('ORDER-2026-12345', 11),
      shortenMiddle('ORDER-12345', 11),
      shortenMiddle('ORDER-1', 4),
    ]).toEqual(['ORDE…-12345', 'ORDER-12345', 'ORD…'])
  })

  it('is wrapped at spaces, and a word that is too long has a line of its own', () => {
    expect(wrap('to the  gate, then unbelievably far\n\nend', 9)).toEqual([
      'to the',
      'gate,',
      'then',
      'unbelievably',
      'far',
      '',
      'end',
    ])
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), fc.integer({ min: 1, max: 30 }), (text, width) => {
        const flat = plainText(text)
        expect(wrap(flat, width).join(' ').split(/ +/).filter(Boolean)).toEqual(flat.split(/ +/).filter(Boolean))
        for (const line of wrap(flat, width)) expect(!line.includes(' ') || textWidth(line) <= width).toBe(true)
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
    for (const number of [-5, -5n, new JsonNumber('-5')]) expect(csvCell(number)).toBe('-5')
    expect(csvCell(Number.NEGATIVE_INFINITY)).toMatch(/^'|^""$/)
    expect(csvCell('a,"b"\nc')).toBe('"a,""b""\nc"')
    expect(csvCell(null)).toBe('""')
  })
})
