import { describe, expect, it } from 'vitest'
import { prose } from '../../src/render/plain-text.js'

const style = { terminal: true, accessible: false, columns: 40 }

describe('prose', () => {
  it('is wrapped between words at the width of the terminal', () => {
    expect(prose('error: The window is in the past and cannot be served any more.', style)).toBe(
      'error: The window is in the past and\ncannot be served any more.',
    )
  })

  it.each([
    ['hint: Choose another profile: dlv profiles list --json', 'dlv profiles list --json'],
    ['hint: Run dlv webhooks log --journal FILE, then try this again.', 'dlv webhooks log --journal FILE'],
    ['Its pages are elsewhere. Next: dlv deliveries get del_01ABCDEFGHIJ', 'dlv deliveries get del_01ABCDEFGHIJ'],
  ])('keeps a command on one line: %s', (text, command) => {
    expect(prose(text, style).split('\n')).toContainEqual(expect.stringContaining(command))
  })

  it('keeps the indent of a line, and lines as they were', () => {
    expect(prose('error: no\n  dropoff.contactPhone: is not a phone number in E.164', style)).toBe(
      'error: no\n  dropoff.contactPhone: is not a phone\n  number in E.164',
    )
  })

  it('is left as it is in a pipe and for those who have it read aloud', () => {
    const text = 'word '.repeat(30)
    expect(prose(text, { ...style, terminal: false })).toBe(text)
    expect(prose(text, { ...style, accessible: true })).toBe(text)
  })
})
