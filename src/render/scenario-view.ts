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

const nameWidth = 15

/** The lines of an expectation; the detail is wrapped beside its name. */
function expectationLines({ name, passed, detail }: Report['expectations'][number], style: Style): string[] {
  const [mark, word, ink] =
    passed === true
      ? (['✓', 'passed', 'green'] as const)
      : passed === false
        ? (['✗', 'failed', 'red'] as const)
        : (['·', 'not observable', 'dim'] as const)
  if (style.accessible) return [`${word}: ${plainText(name)}: ${plainText(detail)}`]
  const [first = '', ...rest] = wrap(plainText(detail), style.columns - nameWidth - 6)
  const head = `${paint(style, ink, mark)} ${plainText(name).padEnd(nameWidth)}`
  return [`${head}${first}`, ...rest.map((line) => `${' '.repeat(nameWidth + 2)}${line}`)]
}

/** The result of a scenario: the traffic in one line, then every expectation. */
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
        expectations.flatMap((one) => expectationLines(one, style)),
        style,
      ),
      failures === 0
        ? paint(style, 'green', 'No expectation failed')
        : paint(style, 'red', failures === 1 ? '1 expectation failed' : `${failures} expectations failed`),
    ].join('\n\n')
  },
}
