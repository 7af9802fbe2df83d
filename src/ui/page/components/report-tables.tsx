import type { ComponentChildren } from 'preact'
import { rangeBar } from '../../../drawings/charts.js'
import type { ReportAnswer } from '../../wire/report.js'
import { comparable, percentText, pointsText, secondsText } from '../models/report.js'
import { words } from '../models/text.js'
import { Drawing } from './drawing.js'
import { Panel } from './pieces.js'

type Report = ReportAnswer['report']

const times = {
  timeToAssign: 'Time to assign',
  toStore: 'To the store',
  pickupDwell: 'Dwell at the store',
  drive: 'Drive',
  doorTime: 'At the dropoff',
  clickToDoor: 'Click to dropoff',
  etaError: 'ETA error',
} as const
const rates = {
  onTime: 'On time',
  completion: 'Completion',
  returns: 'Returned of failed',
  dispatchTrouble: 'Dispatch trouble',
  proof: 'Required proof',
} as const

/** The metrics whose names `Object.keys` gives without their types. */
const namesOf = <Name extends string>(labels: Readonly<Record<Name, string>>) => Object.keys(labels) as Name[]

export function TimesTable({ report: { metrics, ...report } }: { report: Report }) {
  const before = comparable(report.before)
  const longest = Math.max(1, ...namesOf(times).map((name) => metrics[name].p95 ?? 0))
  return (
    <FigureTable
      heads={['', 'p50', 'p90', 'p95', 'n', ...(before === null ? [] : ['before']), '']}
      optional={['n', 'before']}
    >
      {namesOf(times).map((name) => {
        const { p50, p90, p95, n } = metrics[name]
        return (
          <tr key={name}>
            <th scope="row">{times[name]}</th>
            {[p50, p90, p95].map((value, index) => (
              <td key={index} class="number">
                {secondsText(value)}
              </td>
            ))}
            <td class="number dim optional">{n}</td>
            {before !== null && <td class="number dim optional">{secondsText(before.metrics[name].p50)}</td>}
            <Bar solidTo={p50} to={p95} longest={longest} name={`${times[name]}, p50 and p95`} />
          </tr>
        )
      })}
    </FigureTable>
  )
}

export function RatesTable({ report: { metrics, ...report } }: { report: Report }) {
  const before = comparable(report.before)
  return (
    <FigureTable heads={['', 'share', 'of', ...(before === null ? [] : ['change']), '']}>
      {namesOf(rates).map((name) => {
        const { value, n } = metrics[name]
        return (
          <tr key={name}>
            <th scope="row">{rates[name]}</th>
            <td class="number">{percentText(value)}</td>
            <td class="number dim">{n}</td>
            {before !== null && <td class="number dim">{pointsText(value, before.metrics[name].value)}</td>}
            <Bar solidTo={value} to={value} longest={1} name={rates[name]} />
          </tr>
        )
      })}
    </FigureTable>
  )
}

export function ReasonsTable({ report: { reasons } }: { report: Report }) {
  const most = Math.max(1, ...reasons.map(({ count }) => count))
  return (
    <FigureTable heads={['Reason', 'group', 'count', '']} words={2}>
      {reasons.map(({ code, group, count }) => (
        <tr key={code}>
          <th scope="row">{code === null ? 'no reason given' : words(code)}</th>
          <td class="dim">{group}</td>
          <td class="number">{count}</td>
          <Bar solidTo={count} to={count} longest={most} name={code ?? 'no reason given'} />
        </tr>
      ))}
    </FigureTable>
  )
}

export function GroupsTable({ report: { by: groups = [] }, by }: { report: Report; by: string }) {
  const most = Math.max(1, ...groups.map(({ deliveries }) => deliveries))
  return (
    <Panel title={`By ${by}`}>
      <FigureTable
        heads={['', 'deliveries', 'on time', 'completion', 'click to dropoff', 'p90', '']}
        optional={['click to dropoff', 'p90']}
      >
        {groups.map(({ key, deliveries, metrics }) => (
          <tr key={key}>
            <th scope="row">{key === null ? '(none)' : words(key)}</th>
            <td class="number">{deliveries}</td>
            <td class="number">{percentText(metrics.onTime.value)}</td>
            <td class="number">{percentText(metrics.completion.value)}</td>
            <td class="number optional">{secondsText(metrics.clickToDoor.p50)}</td>
            <td class="number optional">{secondsText(metrics.clickToDoor.p90)}</td>
            <Bar solidTo={deliveries} to={deliveries} longest={most} name={`${deliveries} deliveries`} />
          </tr>
        ))}
      </FigureTable>
    </Panel>
  )
}

interface FigureTableProps {
  heads: readonly string[]
  /** So many columns hold words; the others hold figures. */
  words?: number
  /** Columns that a narrow screen leaves out. */
  optional?: readonly string[]
  children: ComponentChildren
}

function FigureTable({ heads, words: worded = 1, optional = [], children }: FigureTableProps) {
  return (
    <div class="table-scroll">
      <table class="compact figures">
        <thead>
          <tr>
            {heads.map((head, index) =>
              head === '' ? (
                <td key={index} />
              ) : (
                <th
                  key={index}
                  scope="col"
                  class={[index < worded ? '' : 'number', optional.includes(head) ? 'optional' : ''].join(' ')}
                >
                  {head}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  )
}

interface BarProps {
  solidTo: number | null
  to: number | null
  longest: number
  name: string
}

function Bar({ solidTo, to, longest, name }: BarProps) {
  const bar = rangeBar(solidTo, to, longest, name)
  return <td class="chart">{bar === undefined ? null : <Drawing shape={bar} />}</td>
}
