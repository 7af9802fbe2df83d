import { junitXml } from '../shared/junit.js'
import type { Finding } from './finding.js'

/** Findings as JUnit XML: a failed test case for each, or one that passed if there is none. */
export function junitOf(checked: number, findings: readonly Finding[]): string {
  if (findings.length === 0)
    return junitXml('contract drift', [
      { classname: 'drift', name: `${checked} responses and events keep the contract` },
    ])
  const cases = findings.map(({ kind, operation, path, example, count }) => ({
    classname: operation,
    name: `${kind} ${path}`,
    failure: { message: `seen ${count} ${count === 1 ? 'time' : 'times'}`, text: JSON.stringify(example) ?? '' },
  }))
  return junitXml('contract drift', cases)
}
