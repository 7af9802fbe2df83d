import { useEffect, useRef } from 'preact/hooks'
import type { AccountAbout } from '../../wire/session.js'
import type { TimeAndFaults } from '../../wire/time.js'
import { OfAccount, useAccount } from '../components/account.js'
import { AccountField, oneAccount } from '../components/account-fields.js'
import { actThen, useLoaded, useReloads } from '../components/hooks.js'
import { Empty, Heading, Unread } from '../components/pieces.js'
import { Clocks, DueNext } from '../components/time/clocks.js'
import { MagicValues, Outage, Snapshots, SwitchList } from '../components/time/conditions.js'
import { Faults } from '../components/time/faults.js'
import { count } from '../models/text.js'
import { accounts } from '../state/accounts.js'
import { addKeys } from '../state/keys.js'
import { loadSession, session } from '../state/session.js'

export function TimeScreen() {
  if (session.value === undefined) return <Heading title="Time and faults" />
  if (!session.value.hasControl)
    return (
      <>
        <Heading title="Time and faults" />
        <Empty title="This service keeps its own time.">
          <p>A clock that moves, faults and snapshots belong to a sandbox on this machine.</p>
        </Empty>
      </>
    )
  const among = accounts.value.filter(({ hasControl }) => hasControl)
  const name = oneAccount(among)
  return (
    <OfAccount name={name}>
      <Levers key={name} among={among} />
    </OfAccount>
  )
}

/** @param among the accounts that have them */
function Levers({ among }: { among: readonly AccountAbout[] }) {
  const account = useAccount()
  const { value: all, reload } = useLoaded(() => account.get<TimeAndFaults>('/time'), [])
  useReloads(reload, ({ kind }) => kind === 'event' || kind === 'attempt')
  const advance = useRef<HTMLInputElement>(null)
  useEffect(() => addKeys([{ key: 'a', words: 'Advance the clock', run: () => advance.current?.focus() }]), [])
  const act = actThen(account.post, () => Promise.all([reload(), loadSession()]))
  return (
    <>
      <Heading title="Time and faults">
        {all === undefined && <Unread what="the sandbox" isQuiet />}
        {all?.outage.on === true && <span class="badge bad">outage</span>}
        {all !== undefined && all.faults.rules.length > 0 && (
          <span class="badge warn">{count(all.faults.rules.length, 'fault')}</span>
        )}
      </Heading>
      {among.length > 0 && (
        <div class="filters">
          <AccountField among={among} isOne />
        </div>
      )}
      {all !== undefined && (
        <div class="split">
          <div class="stack">
            <Clocks clock={all.clock} act={act} advanceField={advance} />
            <DueNext schedule={all.schedule} />
            <Snapshots snapshots={all.snapshots} act={act} />
          </div>
          <div class="stack">
            <Outage all={all} act={act} />
            <Faults all={all} act={act} />
            <SwitchList switches={all.switches} act={act} />
          </div>
          <div class="whole">
            <MagicValues values={all.magic.filter(({ channel }) => channel !== 'api key')} />
          </div>
        </div>
      )}
    </>
  )
}
