import { sentence } from '../shared/sentence.js'
import { section } from './card.js'
import { plainText } from './plain-text.js'
import { prose } from './prose.js'
import { paint, type Style } from './style.js'
import { idOf, type View } from './view.js'

interface Report {
  url: string
  passed: boolean
  brokenRules: readonly { rule: string; title: string; advice: string; reason: string; cases: readonly string[] }[]
  notObservable: readonly string[]
  cases: readonly { id: string; rule: string; title: string; status: string; reason: string }[]
}

const marks: Readonly<Record<string, readonly [mark: string, ink: 'green' | 'red' | 'dim']>> = {
  passed: ['✓', 'green'],
  failed: ['✗', 'red'],
}

function caseLine({ title, status, reason }: Report['cases'][number], style: Style): string {
  const [mark, ink] = marks[status] ?? ['·', 'dim']
  const said = status === 'passed' ? '' : paint(style, 'dim', `: ${plainText(reason)}`)
  return `${paint(style, ink, style.accessible ? plainText(status) : mark)} ${plainText(title)}${said}`
}

/** The result of a conformance test: every case, then the rules that the receiver breaks and how to fix them. */
export const conformanceView: View<Report> = {
  id: idOf('id'),
  columns: ['id', 'status', 'title', 'reason', 'rule', 'advice'].map((name) => ({ name })),
  rows: ({ cases, brokenRules }) =>
    cases.map((one) => ({
      ...one,
      advice: one.status === 'failed' ? brokenRules.find(({ rule }) => rule === one.rule)?.advice : undefined,
    })),
  card(report, style) {
    const broken = report.brokenRules.map(({ rule, title, advice, reason }) =>
      [
        `${paint(style, 'red', style.accessible ? 'Broken rule:' : '✗')} ${plainText(rule)}: a receiver ${plainText(title)}.`,
        ...prose(`  This one: ${sentence(plainText(reason))} ${plainText(advice)}`, {
          ...style,
          columns: style.columns - 4,
        }).split('\n'),
      ].join('\n    '),
    )
    const summary = report.passed
      ? paint(style, 'green', 'No broken rules')
      : paint(style, 'red', broken.length === 1 ? '1 broken rule' : `${broken.length} broken rules`)
    return [
      section(
        `Cases at ${plainText(report.url)}`,
        report.cases.map((one) => caseLine(one, style)),
        style,
      ),
      section('What to fix', broken, style),
      summary,
    ]
      .filter((part) => part !== '')
      .join('\n\n')
  },
}
