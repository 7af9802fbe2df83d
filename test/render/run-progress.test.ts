import { expect, it } from 'vitest'
import { progressBar, progressWords } from '../../src/render/run-view.js'

const progress = { failed: 0, perSecond: 200, etaMs: undefined, waitingMs: 0 }

it.each([
  { done: 120, total: 399, isTotalEstimated: true, words: '120 of about 400 done', facts: '30 %  120/~400' },
  { done: 399, total: 399, isTotalEstimated: true, words: '399 of about 400 done', facts: '99 %  399/~400' },
  { done: 1236, total: 1240, isTotalEstimated: true, words: '1236 of about 1236 done', facts: '99 %  1236/~1236' },
  { done: 399, total: 400, isTotalEstimated: false, words: '399 of 400 done', facts: '99 %  399/400' },
  { done: 400, total: 400, isTotalEstimated: false, words: '400 of 400 done', facts: '100 %  400/400' },
  { done: 7, total: undefined, isTotalEstimated: false, words: '7 done', facts: '7  200/s' },
])('an estimate is shown as one: $words', ({ words, facts, ...known }) => {
  expect(progressWords({ ...progress, ...known })).toBe(`${words}, 200/s, 0 failed`)
  expect(progressBar({ ...progress, ...known }, 80)).toContain(facts)
})

it('says first how long the service asks to wait, which a narrow terminal still shows', () => {
  const waiting = { ...progress, waitingMs: 11_200, limit: '20/s', done: 7, total: undefined, isTotalEstimated: false }
  expect(progressBar(waiting, 40)).toBe('7  waiting 12s as the service asks  200')
})
