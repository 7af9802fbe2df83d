import { junitXml } from '../../shared/junit.js'
import { rules } from './rules.js'
import type { CaseResult, ConformanceReport } from './test-receiver.js'

/** The report as JUnit XML: one test case for each case, skipped if nothing could be seen. */
export function junitOf(report: ConformanceReport): string {
  const seconds = report.cases.reduce((sum, { durationMs }) => sum + durationMs, 0) / 1_000
  const cases = report.cases.map((one) => ({
    classname: one.rule,
    name: `${one.id}: ${one.title}`,
    seconds: one.durationMs / 1_000,
    ...outcomeOf(one),
  }))
  return junitXml(`webhook receiver ${report.url}`, cases, seconds)
}

function outcomeOf(one: CaseResult) {
  if (one.status === 'passed') return {}
  if (one.status !== 'failed') return { skipped: one.reason }
  const { title, advice } = rules[one.rule]
  return { failure: { message: one.reason, text: `A receiver ${title}. ${advice}` } }
}
