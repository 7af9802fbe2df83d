import { xmlText } from '../../shared/xml.js'
import { rules } from './rules.js'
import type { ExaminationReport, ExaminedCase } from './test-receiver.js'

/** The report as JUnit XML: one test case for each case, skipped where nothing could be seen. */
export function junitOf(report: ExaminationReport): string {
  const failures = report.cases.filter(({ verdict }) => verdict === 'failed').length
  const skipped = report.cases.filter(({ verdict }) => verdict === 'not_observable' || verdict === 'not_judged').length
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

function caseElement(one: ExaminedCase): string {
  const attributes = `classname="${one.rule}" name="${xmlText(`${one.id}: ${one.title}`)}" time="${one.durationMs / 1000}"`
  if (one.verdict === 'passed') return `    <testcase ${attributes}/>`
  const { title, advice } = rules[one.rule]
  const content =
    one.verdict === 'failed'
      ? `<failure message="${xmlText(one.reason)}">${xmlText(`A receiver ${title}. ${advice}`)}</failure>`
      : `<skipped message="${xmlText(one.reason)}"/>`
  return `    <testcase ${attributes}>${content}</testcase>`
}
