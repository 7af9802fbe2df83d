import { describe, expect, it } from 'vitest'
import { parseEventType, parseEventTypePattern } from '../../../src/cli/input/event-types.js'
import { parseStatus } from '../../../src/cli/input/statuses.js'
import { eventTypes } from '../../../src/contract/index.js'

describe('an event type', () => {
  it('is read with and without its subject', () => {
    for (const type of eventTypes) {
      expect(parseEventType(type, '--type')).toBe(type)
      expect(parseEventType(type.split('.')[1] ?? '', '--type')).toBe(type)
    }
  })

  it.each([
    ['delivery.faild', 'delivery.failed'],
    ['faild', 'failed'],
    ['driver.duty_change', 'driver.duty_changed'],
  ])('%s is refused, and %s suggested', (typed, near) => {
    expect(() => parseEventType(typed, '--expect')).toThrow(
      expect.objectContaining({
        message: `--expect: "${typed}" is not an event type.`,
        hint: `Did you mean "${near}"?`,
      }),
    )
  })

  it('may be a pattern if any type matches it', () => {
    expect(parseEventTypePattern('delivery.driver_*', '--expect')).toBe('delivery.driver_*')
    expect(parseEventTypePattern('failed', '--expect')).toBe('delivery.failed')
    for (const pattern of ['delivry.*', 'delivery.xyz*', '(*'])
      expect(() => parseEventTypePattern(pattern, '--expect')).toThrow('is not an event type')
  })
})

describe('a status', () => {
  it('that does not exist is refused, and the nearest suggested', () => {
    expect(() => parseStatus('faild', '--status')).toThrow(
      expect.objectContaining({ message: '--status: "faild" is not a status.', hint: 'Did you mean "failed"?' }),
    )
  })
})
