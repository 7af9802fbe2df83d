import { type ConformanceReport, testReceiver } from '../../../webhooks/index.js'
import type { ReceiverTest } from '../../wire/webhooks.js'

/** Maximum number of tests in memory. */
const remembered = 20

const tests = new Map<string, ReceiverTest>()

/** Starts to examine a receiver; its state is read while it runs. */
export function startReceiverTest(url: string, secret: string): ReceiverTest {
  const test: ReceiverTest = {
    testId: crypto.randomUUID(),
    url,
    isOver: false,
    cases: [],
    passed: null,
    brokenRules: [],
    failure: null,
  }
  tests.set(test.testId, test)
  const [oldest] = tests.keys()
  if (tests.size > remembered && oldest !== undefined) tests.delete(oldest)
  testReceiver({ url, secret, onCase: (result) => test.cases.push(result) })
    .then((report) => finish(test, report))
    .catch((error: unknown) => {
      test.failure = error instanceof Error ? error.message : String(error)
    })
    .finally(() => {
      test.isOver = true
    })
  return test
}

function finish(test: ReceiverTest, { passed, brokenRules, cases }: ConformanceReport): void {
  test.cases = cases
  test.passed = passed
  test.brokenRules = brokenRules.map(({ title, advice }) => ({ title, advice }))
}

export function receiverTest(testId: string): ReceiverTest | undefined {
  return tests.get(testId)
}
