import { junitXml } from '../shared/junit.js'
import type { PlayReport } from './player.js'
import { expectations } from './scenario.js'

/** The report as JUnit XML: one test case for each expectation, skipped if it could not be observed. */
export function playJunit(report: PlayReport): string {
  const cases = report.expectations.map(({ name, passed, detail }) => ({
    classname: report.scenario,
    name: `${name}: ${expectations[name]}`,
    ...(passed === null ? { skipped: detail } : passed ? {} : { failure: { message: detail } }),
  }))
  return junitXml(`scenario ${report.scenario}, seed ${report.seed}`, cases, report.tookMs / 1_000)
}
