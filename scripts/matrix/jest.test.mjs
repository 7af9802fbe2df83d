import { afterEach, jest, test } from '@jest/globals'
import { workUnder } from './fake-timers.js'

afterEach(() => jest.useRealTimers())

for (const isEarly of [true, false])
  test(`fake timers from ${isEarly ? 'before' : 'after'} the start of the sandbox on`, () =>
    workUnder(() => jest.useFakeTimers(), { isEarly }))
