import { plainText } from './plain-text.js'
import { paint, type Style } from './style.js'
import { isCommand, pad, wrap } from './text-width.js'
import { idOf, type View } from './view.js'

interface FindingRow {
  check: string
  verdict: string
  finding: string
  hint: string | null
}

const inks = { ok: 'green', warning: 'yellow', problem: 'red' } as const
const marks: Readonly<Record<string, string>> = { ok: '✓', warning: '!', problem: '✗' }

function findingLines({ check, verdict, finding, hint }: FindingRow, width: number, style: Style): string {
  const ink = inks[verdict as keyof typeof inks] ?? 'magenta'
  const mark = paint(style, ink, style.accessible ? plainText(verdict) : (marks[verdict] ?? '·'))
  const indent = ' '.repeat(width + 4)
  const room = Math.max(20, style.columns - width - 4)
  const text = [finding, ...(hint === null ? [] : [hint])].flatMap((part) =>
    isCommand(part) ? [plainText(part)] : wrap(plainText(part), room),
  )
  return `${mark} ${pad(plainText(check), width)}  ${text.join(`\n${indent}`)}`
}

/** The findings of `doctor`. */
export const findingList: View<FindingRow[]> = {
  id: idOf('check'),
  columns: [{ name: 'check' }, { name: 'verdict' }, { name: 'finding' }, { name: 'hint' }],
  rows: (findings) => findings,
  card(findings, style) {
    const width = Math.max(...findings.map(({ check }) => check.length))
    return findings.map((finding) => findingLines(finding, width, style)).join('\n')
  },
}
