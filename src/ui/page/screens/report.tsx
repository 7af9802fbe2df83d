import { useLayoutEffect, useRef } from 'preact/hooks'
import type { ReportPage } from '../../wire/session.js'
import { accountNamed, OfAccount } from '../components/account.js'
import { AccountField } from '../components/account-fields.js'
import { Action } from '../components/action.js'
import { ChoiceField } from '../components/fields.js'
import { useLoaded } from '../components/hooks.js'
import { Empty, Heading, Unread } from '../components/pieces.js'
import { command, count } from '../models/text.js'
import { chosenAccount, within } from '../state/accounts.js'
import { get } from '../state/api.js'
import { place } from '../state/router.js'
import { session } from '../state/session.js'

const periods = ['24h', '7d', '14d', '29d']

/** `7 days` for `7d`. */
function periodWords(period: string): string {
  const [, number = '', unit] = /^(\d+)([dh])$/.exec(period) ?? []
  return unit === undefined ? period : count(Number(number), unit === 'd' ? 'day' : 'hour')
}

export function ReportScreen() {
  const { query } = place.value
  const from = query.get('from') ?? '7d'
  const by = query.get('by') ?? ''
  const chosen = chosenAccount.value || undefined
  const account = accountNamed(chosen)
  const isKnown = session.value !== undefined
  const asked = within(chosen, `/report?${new URLSearchParams({ from, by })}`)
  const { value: read, reload } = useLoaded(
    // Which accounts there are has to be known first.
    async () => (isKnown ? { asked, report: await get<ReportPage>(asked) } : undefined),
    [asked, isKnown],
  )
  const report = read?.report
  const groupings = report?.groupings ?? (by === '' ? [] : [by])
  return (
    <>
      <Heading title="Report">
        {report !== undefined && <span class="dim">{count(report.deliveries, 'delivery')}</span>}
      </Heading>
      <div class="filters">
        <AccountField />
        <ChoiceField
          label="Period"
          name="from"
          value={from}
          choices={[...new Set([...periods, from])].map((period) => [period, periodWords(period)])}
        />
        <ChoiceField
          label="Cut by"
          name="by"
          value={by}
          choices={[['', 'nothing'], ...groupings.map((grouping) => [grouping, grouping] as const)]}
        />
        <OfAccount name={chosen}>
          <Action
            label="Compute again"
            command={command`report --from ${from}` + (by === '' ? '' : command` --by ${by}`)}
            readsOnly
            run={async () => {
              await reload()
              return 'The report is up to date.'
            }}
          />
        </OfAccount>
        {read?.asked !== asked && <Unread what="the events of the period" />}
      </div>
      {report?.missing?.map((one) => (
        <p key={one.account} class="problem">
          Not in it: {one.account}. {one.message}
        </p>
      ))}
      {report?.deliveries === 0 && (
        <Empty title="No delivery was accepted in this period.">
          <p>
            Choose a longer one, or fill the sandbox: <code>{account.command('sandbox seed --over 14d')}</code>
          </p>
          {report.gaps.map(({ from, to }) => (
            <p key={from}>
              The archive has no events from {from.slice(0, 16).replace('T', ' ')} to{' '}
              {to.slice(0, 16).replace('T', ' ')} UTC: <code>{account.command(`sync --backfill ${from}`)}</code>
            </p>
          ))}
        </Empty>
      )}
      {report !== undefined && report.deliveries > 0 && <ReportFrame html={report.html} />}
    </>
  )
}

/** The document runs no scripts and is as high as its content, so that the page scrolls and prints it as a whole. */
function ReportFrame({ html }: { html: string }) {
  const frame = useRef<HTMLIFrameElement>(null)
  const observer = useRef<ResizeObserver | undefined>(undefined)
  useLayoutEffect(() => () => observer.current?.disconnect(), [])
  const fit = () => {
    const element = frame.current
    const body = element?.contentDocument?.body
    if (element == null || body == null) return
    observer.current?.disconnect()
    observer.current = new ResizeObserver(() => {
      element.style.height = `${body.offsetHeight}px`
    })
    observer.current.observe(body)
  }
  return <iframe ref={frame} class="report" title="Report" sandbox="allow-same-origin" srcdoc={html} onLoad={fit} />
}
