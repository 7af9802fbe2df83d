import { xmlText } from '../shared/xml.js'
import type { Finding } from './finding.js'

/** Findings as JUnit XML: a failed test case for each, or one that passed if there is none. */
export function junitOf(checked: number, findings: readonly Finding[]): string {
  const counts = `tests="${Math.max(1, findings.length)}" failures="${findings.length}" errors="0" skipped="0"`
  const cases =
    findings.length === 0
      ? [`    <testcase classname="drift" name="${checked} responses and events keep the contract"/>`]
      : findings.map(
          ({ kind, operation, path, example, count }) =>
            `    <testcase classname="${xmlText(operation)}" name="${xmlText(`${kind} ${path}`)}">` +
            `<failure message="seen ${count} ${count === 1 ? 'time' : 'times'}">${xmlText(JSON.stringify(example) ?? '')}</failure></testcase>`,
        )
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${counts}>`,
    `  <testsuite name="contract drift" ${counts}>`,
    ...cases,
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n')
}
