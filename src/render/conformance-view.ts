import { section } from './card.js'
import { plainText } from './plain-text.js'
import { paint, type Style } from './style.js'
import { wrap } from './text-width.js'
import { idOf, type View } from './view.js'

interface Report {
  url: string
  passed: boolean
  faults: readonly { title: string; advice: string; reason: string; cases: readonly string[] }[]
  notObservable: readonly string[]
  cases: readonly { id: string; title: string; verdict: string; reason: string }[]
}

const marks: Readonly<Record<string, readonly [mark: string, ink: 'green' | 'red' | 'dim']>> = {
  passed: ['✓', 'green'],
  failed: ['✗', 'red'],
}

function caseLine({ title, verdict, reason }: Report['cases'][number], style: Style): string {
  const [mark, ink] = marks[verdict] ?? ['·', 'dim']
  const said = verdict === 'passed' ? '' : paint(style, 'dim', `: ${plainText(reason)}`)
  return `${paint(style, ink, style.accessible ? plainText(verdict) : mark)} ${plainText(title)}${said}`
}

/** The conformance of a receiver: every case, then the broken rules and how to fix them. */
export const conformanceView: View<Report> = {
  id: idOf('id'),
  columns: [{ name: 'id' }, { name: 'verdict' }, { name: 'title' }, { name: 'reason' }],
  rows: ({ cases }) => cases,
  card(report, style) {
    const faults = report.faults.map(({ title, advice, reason }) =>
      [
        `${paint(style, 'red', style.accessible ? 'Broken rule:' : '✗')} A receiver ${plainText(title)}.`,
        ...wrap(`Here ${plainText(reason)}. ${plainText(advice)}`, style.columns - 6).map((line) => `  ${line}`),
      ].join('\n    '),
    )
    const verdict = report.passed
      ? paint(style, 'green', 'No problems found')
      : paint(style, 'red', report.faults.length === 1 ? '1 rule broken' : `${report.faults.length} rules broken`)
    return [
      section(
        `Cases at ${plainText(report.url)}`,
        report.cases.map((one) => caseLine(one, style)),
        style,
      ),
      section('What to fix', faults, style),
      verdict,
    ]
      .filter((part) => part !== '')
      .join('\n\n')
  },
}
