import { useEffect, useRef } from 'preact/hooks'
import type { Done } from '../../wire/deliveries.js'
import type { TimeAndFaults } from '../../wire/time.js'
import { Heading } from '../components/heading.js'
import { Empty } from '../components/pieces.js'
import { Clocks } from '../components/time/clocks.js'
import { DueNext } from '../components/time/due-next.js'
import { Faults } from '../components/time/faults.js'
import { MagicValues } from '../components/time/magic-values.js'
import { Outage } from '../components/time/outage.js'
import { Snapshots } from '../components/time/snapshots.js'
import { Switches } from '../components/time/switches.js'
import { useLoaded } from '../components/use-loaded.js'
import { useReloads } from '../components/use-reloads.js'
import type { Act } from '../models/act.js'
import { count } from '../models/text.js'
import { get, post } from '../state/api.js'
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
  return <Levers />
}

function Levers() {
  const { value: all, reload } = useLoaded(() => get<TimeAndFaults>('/time'), [])
  useReloads(reload, ({ kind }) => kind === 'event' || kind === 'attempt')
  const advance = useRef<HTMLInputElement>(null)
  useEffect(() => addKeys([{ key: 'a', words: 'Advance the clock', run: () => advance.current?.focus() }]), [])
  const act: Act = async (path, body) => {
    try {
      return (await post<Done>(path, body)).message
    } finally {
      await Promise.all([reload(), loadSession()])
    }
  }
  return (
    <>
      <Heading title="Time and faults">
        {all?.outage === true && <span class="badge bad">outage</span>}
        {all !== undefined && all.faults.rules.length > 0 && (
          <span class="badge warn">{count(all.faults.rules.length, 'fault')}</span>
        )}
      </Heading>
      {all !== undefined && (
        <div class="split">
          <div class="stack">
            <Clocks clock={all.clock} act={act} advanceField={advance} />
            <DueNext all={all} />
            <Snapshots all={all} act={act} />
          </div>
          <div class="stack">
            <Outage all={all} act={act} />
            <Faults all={all} act={act} />
            <Switches all={all} act={act} />
          </div>
          <div class="whole">
            <MagicValues values={all.magic} />
          </div>
        </div>
      )}
    </>
  )
}
