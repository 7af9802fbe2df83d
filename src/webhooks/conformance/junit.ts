import { xmlText } from '../../shared/xml.js'
import { rules } from './rules.js'
import type { CaseResult, ConformanceReport } from './test-receiver.js'

/** The report as JUnit XML: one test case for each case, skipped if nothing could be seen. */
export function junitOf(report: ConformanceReport): string {
  const failures = report.cases.filter(({ status }) => status === 'failed').length
  const skipped = report.cases.filter(({ status }) => status === 'not_observable' || status === 'skipped').length
  const seconds = report.cases.reduce((sum, { durationMs }) => sum + durationMs, 0) / 1000
  const counts = `tests="${report.cases.length}" failures="${failures}" errors="0" skipped="${skipped}" time="${seconds}"`
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${counts}>`,
    `  <testsuite name="webhook receiver ${xmlText(report.url)}" ${counts}>`,
    ...report.cases.map(caseElement),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n')
}

function caseElement(one: CaseResult): string {
  const attributes = `classname="${one.rule}" name="${xmlText(`${one.id}: ${one.title}`)}" time="${one.durationMs / 1000}"`
  if (one.status === 'passed') return `    <testcase ${attributes}/>`
  const { title, advice } = rules[one.rule]
  const content =
    one.status === 'failed'
      ? `<failure message="${xmlText(one.reason)}">${xmlText(`A receiver ${title}. ${advice}`)}</failure>`
      : `<skipped message="${xmlText(one.reason)}"/>`
  return `    <testcase ${attributes}>${content}</testcase>`
}
