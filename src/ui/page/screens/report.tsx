import { bars, heatMap } from '../../../drawings/charts.js'
import { type ReportAnswer, reportGroupings, reportPeriods } from '../../wire/report.js'
import { Action } from '../components/action.js'
import { ChoiceField } from '../components/choice-field.js'
import { Drawing } from '../components/drawing.js'
import { Heading } from '../components/heading.js'
import { Empty, Panel } from '../components/pieces.js'
import { GroupsTable, RatesTable, ReasonsTable, TimesTable } from '../components/report-tables.js'
import { useLoaded } from '../components/use-loaded.js'
import { comparable, dayText, percentText, pointsText, secondsText } from '../models/report.js'
import { command, moneyText } from '../models/text.js'
import { get } from '../state/api.js'
import { commandFor } from '../state/command.js'
import { place } from '../state/router.js'

const periodNames: Readonly<Record<string, string>> = {
  '24h': '24 hours',
  '7d': '7 days',
  '14d': '14 days',
  '29d': '29 days',
}
/** The periods to choose from, the first of them the usual one; one that the address names is among them. */
function periodsWith(from: string): (readonly [string, string])[] {
  const known: readonly string[] = reportPeriods
  const periods = known.includes(from) ? known : [...known, from]
  return periods.map((period) => [period, periodNames[period] ?? period])
}

const weekdays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']

export function ReportScreen() {
  const { query } = place.value
  const from = query.get('from') ?? '7d'
  const by = query.get('by') ?? ''
  const asked = new URLSearchParams({ from, by }).toString()
  const { value: read, reload } = useLoaded(
    async () => ({ asked, answer: await get<ReportAnswer>(`/report?${asked}`) }),
    [asked],
  )
  const answer = read?.answer
  return (
    <>
      <Heading title="Report">
        {answer !== undefined && <span class="dim">{deliveriesText(answer.report.deliveries)}</span>}
      </Heading>
      <div class="filters">
        <ChoiceField label="Period" name="from" value={from} choices={periodsWith(from)} />
        <ChoiceField
          label="Cut by"
          name="by"
          value={by}
          choices={[['', 'nothing'], ...reportGroupings.map((grouping) => [grouping, grouping] as const)]}
        />
        <Action
          label="Compute again"
          command={command`report --from ${from}` + (by === '' ? '' : command` --by ${by}`)}
          readsOnly
          run={async () => {
            await reload()
            return 'The report is up to date.'
          }}
        />
        {read?.asked !== asked && <span class="dim">Reading the events of the period…</span>}
      </div>
      {answer !== undefined && answer.report.deliveries === 0 && (
        <Empty title="No delivery was accepted in this period.">
          <p>
            Choose a longer one, or fill the sandbox: <code>{commandFor('sandbox seed --over 14d')}</code>
          </p>
        </Empty>
      )}
      {answer !== undefined && answer.report.deliveries > 0 && <Figures answer={answer} by={by} />}
    </>
  )
}

const deliveriesText = (number: number) =>
  `${number.toLocaleString('en-US')} ${number === 1 ? 'delivery' : 'deliveries'}`

function Figures({ answer: { report, activity }, by }: { answer: ReportAnswer; by: string }) {
  const days = activity.days.map(({ day, deliveries, failed }) => ({
    label: dayText(day),
    total: deliveries,
    part: failed,
  }))
  return (
    <>
      <Tiles report={report} />
      {report.by !== undefined && (
        <div class="stack gap-below">
          <GroupsTable report={report} by={by} />
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
          {report.reasons.length > 0 && (
            <Panel title="Why deliveries did not end well">
              <ReasonsTable report={report} />
            </Panel>
          )}
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
        </div>
      </div>
      {report.leftOut.length > 0 && (
        <p class="dim below">
          Left out: {report.leftOut.map(({ why, count: number }) => `${number} ${why}`).join('; ')}.
        </p>
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
      moneyText(money.pricePerDropCents, money.currency),
      `all-in ${moneyText(money.allInPerDropCents, money.currency)}`,
    ],
    ['Waste', moneyText(money.wasteCents, money.currency), `tips ${moneyText(money.tipsCents, money.currency)}`],
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
