import { section } from './card.js'
import { plainText } from './plain-text.js'
import { paint, type Style } from './style.js'
import { wrap } from './text-width.js'
import { spanText } from './times.js'
import { idOf, type View } from './view.js'

interface Report {
  scenario: string
  seed: number
  orders: number
  events: number
  expectations: readonly { name: string; passed: boolean | null; detail: string }[]
  tookMs: number
}

function expectationLine({ name, passed, detail }: Report['expectations'][number], style: Style): string {
  const [mark, word, ink] =
    passed === true
      ? (['✓', 'passed', 'green'] as const)
      : passed === false
        ? (['✗', 'failed', 'red'] as const)
        : (['·', 'not observable', 'dim'] as const)
  const [first = '', ...rest] = wrap(plainText(detail), style.columns - 20)
  const head = `${paint(style, ink, style.accessible ? word : mark)} ${plainText(name).padEnd(14)}`
  return [`${head} ${first}`, ...rest.map((line) => `${' '.repeat(16)} ${line}`)].join('\n  ')
}

/** What came of a scenario: the traffic in one line, then every expectation. */
export const scenarioView: View<Report> = {
  id: idOf('name'),
  columns: [{ name: 'name' }, { name: 'passed' }, { name: 'detail' }],
  rows: ({ expectations }) => expectations,
  card(report, style) {
    const { scenario, seed, orders, events, expectations, tookMs } = report
    const failures = expectations.filter(({ passed }) => passed === false).length
    const counts = `${orders.toLocaleString('en-US')} orders, ${events.toLocaleString('en-US')} events, seed ${seed}, ${spanText(tookMs)}`
    return [
      `${paint(style, 'bold', plainText(scenario))}  ${paint(style, 'dim', counts)}`,
      section(
        'Expectations',
        expectations.map((one) => expectationLine(one, style)),
        style,
      ),
      failures === 0
        ? paint(style, 'green', 'No expectation failed')
        : paint(style, 'red', failures === 1 ? '1 expectation failed' : `${failures} expectations failed`),
    ].join('\n\n')
  },
}
