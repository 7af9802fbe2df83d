import { xmlText } from '../shared/xml.js'
import type { PlayReport } from './player.js'
import { expectations } from './scenario.js'

/** The report as JUnit XML: one test case for each expectation, skipped if it could not be observed. */
export function playJunit(report: PlayReport): string {
  const failures = report.expectations.filter(({ passed }) => passed === false).length
  const skipped = report.expectations.filter(({ passed }) => passed === null).length
  const counts = `tests="${report.expectations.length}" failures="${failures}" errors="0" skipped="${skipped}" time="${report.tookMs / 1_000}"`
  const cases = report.expectations.map(({ name, passed, detail }) => {
    const attributes = `classname="${xmlText(report.scenario)}" name="${name}: ${xmlText(expectations[name])}"`
    if (passed === true) return `    <testcase ${attributes}/>`
    const what = passed === null ? 'skipped' : 'failure'
    return `    <testcase ${attributes}><${what} message="${xmlText(detail)}"/></testcase>`
  })
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${counts}>`,
    `  <testsuite name="${xmlText(`scenario ${report.scenario}, seed ${report.seed}`)}" ${counts}>`,
    ...cases,
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n')
}
