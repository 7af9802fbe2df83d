import { describe, expect, it } from 'vitest'
import { parseEventType, parseEventTypePattern, parseStatus } from '../../../src/cli/input/contract-words.js'
import { eventTypes } from '../../../src/contract/index.js'

const notices: string[] = []
const said = { notice: (text: string) => void notices.push(text) }

describe('an event type', () => {
  it('is read with and without its subject', () => {
    for (const type of eventTypes) {
      expect(parseEventType(type, '--type', said)).toBe(type)
      expect(parseEventType(type.split('.')[1] ?? '', '--type', said)).toBe(type)
    }
  })

  it.each([
    ['delivery.faild', 'delivery.failed'],
    ['faild', 'failed'],
    ['driver.duty_change', 'driver.duty_changed'],
  ])('%s is refused, and %s suggested', (typed, near) => {
    expect(() => parseEventType(typed, '--expect', said)).toThrow(
      expect.objectContaining({
        message: `--expect: "${typed}" is not an event type.`,
        hint: `Did you mean "${near}"?`,
      }),
    )
  })

  it('may be a pattern, and one that this version does not know', () => {
    expect(parseEventTypePattern('delivery.driver_*', '--expect', said)).toBe('delivery.driver_*')
    expect(parseEventTypePattern('failed', '--expect', said)).toBe('delivery.failed')
    expect(notices).toEqual([])
    for (const pattern of ['delivry.*', '(*'])
      expect(() => parseEventTypePattern(pattern, '--expect', said)).toThrow('is not an event type')
    expect(parseEventTypePattern('delivery.xyz*', '--expect', said)).toBe('delivery.xyz*')
    expect(parseEventType('held', '--type', said)).toBe('delivery.held')
    expect(notices).toEqual([
      '--expect: "delivery.xyz" is not an event type that this version knows; it is used as it is.',
      '--type: "held" is not an event type that this version knows; it is used as it is.',
    ])
  })
})

describe('a status', () => {
  it('that does not exist is refused, and the nearest suggested', () => {
    expect(() => parseStatus('faild', '--status', said)).toThrow(
      expect.objectContaining({ message: '--status: "faild" is not a status.', hint: 'Did you mean "failed"?' }),
    )
  })
})
