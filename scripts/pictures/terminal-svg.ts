/** A stretch of text in one colour. */
interface Run {
  text: string
  ink: string
}

/** A command and what it printed, with the terminal's colours in it. */
export interface Session {
  command: string
  output: string
}

const columnWidth = 8.05
const lineHeight = 19
const margin = 16
const barHeight = 30

const inks: Readonly<Record<string, string>> = {
  1: 'bold',
  2: 'dim',
  31: 'red',
  32: 'green',
  33: 'yellow',
  34: 'blue',
  35: 'magenta',
  36: 'cyan',
}

/** Each line as its stretches. Colours are all that the commands shown here ask a terminal for. */
function runsOf(output: string): Run[][] {
  let ink = ''
  return output
    .replaceAll('\r', '')
    .replace(/\n+$/, '')
    .split('\n')
    .map((line) => {
      const runs: Run[] = []
      for (const [, code, text = ''] of line.matchAll(/(?:\u001b\[(\d*)m)?([^\u001b]*)/g)) {
        if (code !== undefined) ink = inks[code] ?? ''
        if (text !== '') runs.push({ text, ink })
      }
      return runs
    })
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
const tenth = (value: number) => Math.round(value * 10) / 10

/** One line: every stretch is as wide as its columns, whatever font there is. */
function lineSvg(runs: readonly Run[], y: number): string {
  let column = 0
  return runs
    .map(({ text, ink }) => {
      const lead = text.length - text.trimStart().length
      const shown = text.trim()
      const x = tenth(margin + (column + lead) * columnWidth)
      column += [...text].length
      if (shown === '') return ''
      const width = tenth([...shown].length * columnWidth)
      const colour = ink === '' ? '' : ` class="${ink}"`
      return `<text x="${x}" y="${y}" textLength="${width}"${colour}>${escaped(shown)}</text>`
    })
    .join('')
}

/** The sessions in one window, one below the other. */
export function terminalSvg(title: string, sessions: readonly Session[], columns: number): string {
  const lines = sessions.flatMap(({ command, output }, index) => [
    ...(index === 0 ? [] : [[]]),
    [
      { text: '$ ', ink: 'green' },
      { text: command, ink: 'bold' },
    ],
    ...runsOf(output),
  ])
  const width = Math.ceil(columns * columnWidth + 2 * margin)
  const height = barHeight + lines.length * lineHeight + margin
  const label = `A terminal: ${sessions.map(({ command }) => command).join(', and ')}`
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(label)}">`,
    '<style>',
    'text { fill: #d6dee6; font: 13.4px ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; white-space: pre }',
    '.bold { fill: #ffffff; font-weight: 600 } .dim { fill: #8995a1 } .red { fill: #ff8b80 } .green { fill: #5cd68d } .yellow { fill: #e3b341 }',
    '.blue { fill: #79b8ff } .magenta { fill: #d2a8ff } .cyan { fill: #66d4e4 } .title { fill: #8995a1; font-family: system-ui, sans-serif; text-anchor: middle }',
    '</style>',
    `<rect width="${width}" height="${height}" rx="10" fill="#12171d" stroke="#2b333d"/>`,
    ...['#ff5f57', '#febc2e', '#28c840'].map(
      (colour, index) => `<circle cx="${margin + 6 + index * 20}" cy="${barHeight / 2 + 1}" r="6" fill="${colour}"/>`,
    ),
    `<text class="title" x="${width / 2}" y="${barHeight / 2 + 6}">${escaped(title)}</text>`,
    ...lines.map((runs, index) => lineSvg(runs, barHeight + (index + 1) * lineHeight)),
    '</svg>',
    '',
  ].join('\n')
}
