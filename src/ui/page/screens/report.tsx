import { bars, heatMap } from '../../../drawings/charts.js'
import { type ReportAnswer, reportGroupings, reportPeriods } from '../../wire/report.js'
import { Action } from '../components/action.js'
import { Drawing } from '../components/drawing.js'
import { Heading } from '../components/heading.js'
import { Empty, Panel } from '../components/pieces.js'
import { GroupsTable, RatesTable, ReasonsTable, TimesTable } from '../components/report-tables.js'
import { useLoaded } from '../components/use-loaded.js'
import { comparable, moneyIn, percentText, pointsText, secondsText } from '../models/report.js'
import { get } from '../state/api.js'
import { place, setQuery } from '../state/router.js'

const periodNames: Readonly<Record<string, string>> = {
  '24h': '24 hours',
  '7d': '7 days',
  '14d': '14 days',
  '29d': '29 days',
}
const weekdays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']

export function ReportScreen() {
  const { query } = place.value
  const from = query.get('from') ?? '7d'
  const by = query.get('by') ?? ''
  const { value: answer, reload } = useLoaded(
    () => get<ReportAnswer>(`/report?${new URLSearchParams({ from, by })}`),
    [from, by],
  )
  return (
    <>
      <Heading title="Report">
        {answer !== undefined && <span class="dim">{deliveriesText(answer.report.deliveries)}</span>}
      </Heading>
      <div class="filters">
        <label>
          <span>Period</span>
          <select value={from} onChange={(event) => setQuery({ from: event.currentTarget.value })}>
            {(reportPeriods as readonly string[]).includes(from) ? null : <option value={from}>{from}</option>}
            {reportPeriods.map((period) => (
              <option key={period} value={period}>
                {periodNames[period]}
              </option>
            ))}
          </select>
        </label>
        <label>
          <span>Cut by</span>
          <select value={by} onChange={(event) => setQuery({ by: event.currentTarget.value })}>
            <option value="">nothing</option>
            {reportGroupings.map((grouping) => (
              <option key={grouping} value={grouping}>
                {grouping}
              </option>
            ))}
          </select>
        </label>
        <Action
          label="Compute again"
          command={`report --from ${from}${by === '' ? '' : ` --by ${by}`}`}
          readsOnly
          run={async () => {
            await reload()
            return 'The report is up to date.'
          }}
        />
      </div>
      {answer === undefined && <p class="dim">Reading the events of the period…</p>}
      {answer !== undefined && answer.report.deliveries === 0 && (
        <Empty title="No delivery was accepted in this period.">
          <p>
            Choose a longer one, or fill the sandbox: <code>dlv sandbox seed --over 14d</code>
          </p>
        </Empty>
      )}
      {answer !== undefined && answer.report.deliveries > 0 && <Figures answer={answer} />}
    </>
  )
}

const deliveriesText = (number: number) =>
  `${number.toLocaleString('en-US')} ${number === 1 ? 'delivery' : 'deliveries'}`

function Figures({ answer: { report, activity } }: { answer: ReportAnswer }) {
  const days = activity.days.map(({ day, deliveries, failed }) => ({
    label: day.slice(5),
    total: deliveries,
    part: failed,
  }))
  return (
    <>
      <Tiles report={report} />
      {report.by !== undefined && (
        <div class="stack gap-below">
          <GroupsTable report={report} />
        </div>
      )}
      <div class="split">
        <div class="stack">
          <Panel title="Times">
            <TimesTable report={report} />
          </Panel>
          <Panel title="Rates">
            <RatesTable report={report} />
          </Panel>
        </div>
        <div class="stack">
          {days.length > 0 && (
            <Panel title="Days" actions={<span class="dim">the lower part did not end well</span>}>
              <div class="panel-body chart">
                <Drawing shape={bars(days, 'Deliveries a day; the lower part did not end well')} />
              </div>
            </Panel>
          )}
          <Panel title="Hours of the week" actions={<span class="dim">by the clocks of the stores</span>}>
            <div class="panel-body chart">
              <Drawing shape={heatMap(activity.weekdayHours, weekdays)} />
            </div>
          </Panel>
          {report.reasons.length > 0 && (
            <Panel title="Why deliveries did not end well">
              <ReasonsTable report={report} />
            </Panel>
          )}
        </div>
      </div>
      {report.leftOut.length > 0 && (
        <p class="dim">Left out: {report.leftOut.map(({ why, count: number }) => `${number} ${why}`).join('; ')}.</p>
      )}
    </>
  )
}

function Tiles({ report: { deliveries, metrics, money, ...report } }: { report: ReportAnswer['report'] }) {
  const before = comparable(report.before)
  const tiles = [
    ['Deliveries', deliveries.toLocaleString('en-US'), before === null ? '' : `${before.deliveries} before`],
    ['On time', percentText(metrics.onTime.value), pointsText(metrics.onTime.value, before?.metrics.onTime.value)],
    [
      'Completion',
      percentText(metrics.completion.value),
      pointsText(metrics.completion.value, before?.metrics.completion.value),
    ],
    [
      'Click to dropoff, p50',
      secondsText(metrics.clickToDoor.p50),
      before === null ? '' : `${secondsText(before.metrics.clickToDoor.p50)} before`,
    ],
    [
      'Price a drop',
      moneyIn(money.pricePerDropCents, money.currency),
      `all-in ${moneyIn(money.allInPerDropCents, money.currency)}`,
    ],
    ['Waste', moneyIn(money.wasteCents, money.currency), `tips ${moneyIn(money.tipsCents, money.currency)}`],
  ]
  return (
    <dl class="tiles">
      {tiles.map(([name, value, note]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
          <dd class="dim">{note}</dd>
        </div>
      ))}
    </dl>
  )
}
