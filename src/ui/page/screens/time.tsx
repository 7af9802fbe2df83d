import { useEffect, useId, useRef, useState } from 'preact/hooks'
import type { Done } from '../../wire/deliveries.js'
import type { SwitchState, TimeAndFaults } from '../../wire/time.js'
import { Action, showsCommand } from '../components/action.js'
import { Heading } from '../components/heading.js'
import { Empty, Moment, Panel, StatusBadge } from '../components/pieces.js'
import { Clocks } from '../components/time/clocks.js'
import { Faults } from '../components/time/faults.js'
import { MagicValues } from '../components/time/magic-values.js'
import { useLoaded } from '../components/use-loaded.js'
import { useReloads } from '../components/use-reloads.js'
import type { Act } from '../models/act.js'
import { count, spanText } from '../models/text.js'
import { get, post } from '../state/api.js'
import { addKeys } from '../state/keys.js'
import { sayFailure, sayResult } from '../state/messages.js'
import { addressOf } from '../state/router.js'
import { loadSession, now, session } from '../state/session.js'

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

/** What falls due next on the sandbox's clock: steps of deliveries and webhooks, soonest first. */
function DueNext({ all: { deliveries, webhooks } }: { all: TimeAndFaults }) {
  const rows = [
    ...deliveries.map(({ deliveryId, clientOrderReference, status, dueAt }) => ({
      key: deliveryId,
      dueAt,
      what: <a href={addressOf(`/deliveries/${deliveryId}`)}>{clientOrderReference}</a>,
      more: <StatusBadge status={status} />,
    })),
    ...webhooks.map(({ eventId, eventType, attempt, dueAt, url }) => ({
      key: `${eventId} ${url}`,
      dueAt,
      what: <a href={addressOf(`/events/${eventId}`)}>{eventType}</a>,
      more: <span class="dim">attempt {attempt} of 8</span>,
    })),
  ]
    .sort((one, other) => Date.parse(one.dueAt) - Date.parse(other.dueAt))
    .slice(0, 12)
  return (
    <Panel title="Due next">
      {rows.length === 0 ? (
        <p class="panel-body dim">Nothing happens by itself: no delivery is on autopilot, and no webhook waits.</p>
      ) : (
        <ul class="rows">
          {rows.map(({ key, dueAt, what, more }) => (
            <li key={key}>
              <span class="when">
                <Moment at={dueAt} /> <span class="dim">in {spanText(Math.max(0, Date.parse(dueAt) - now.value))}</span>
              </span>
              <span class="reference">{what}</span>
              {more}
            </li>
          ))}
        </ul>
      )}
    </Panel>
  )
}

/** The outage acts at once; the capacity when it is set. */
function Outage({ all, act }: { all: TimeAndFaults; act: Act }) {
  const [capacity, setCapacity] = useState(all.capacity === null ? '' : String(all.capacity))
  const toggle = async (on: boolean) => {
    try {
      sayResult(await act('/time/outage', { on }))
    } catch (error) {
      sayFailure(error)
    }
  }
  const isCount = capacity === '' || /^\d{1,9}$/.test(capacity)
  return (
    <Panel title="Outage and capacity">
      <div class="panel-body stack">
        <label class="check">
          <input
            type="checkbox"
            checked={all.outage}
            onChange={(event) => void toggle(event.currentTarget.checked)}
            {...showsCommand(`sandbox faults ${all.outage ? '--no-outage' : '--outage'}`)}
          />
          <span>Outage</span>
        </label>
        <p class="dim">Every request is answered 503, and health is degraded.</p>
        <form class="inline" onSubmit={(event) => event.preventDefault()}>
          <label class="grow">
            <span>Driver capacity, empty for no limit</span>
            <input
              type="text"
              inputMode="numeric"
              value={capacity}
              aria-invalid={!isCount}
              onInput={(event) => setCapacity(event.currentTarget.value.trim())}
            />
          </label>
          <Action
            label="Set capacity"
            type="submit"
            command={`sandbox faults --capacity ${capacity === '' ? 'off' : capacity}`}
            run={() => act('/time/capacity', { available: capacity === '' ? null : Number(capacity) })}
            disabled={!isCount}
          />
        </form>
      </div>
    </Panel>
  )
}

function Switches({ all: { switches }, act }: { all: TimeAndFaults; act: Act }) {
  return (
    <Panel title="Switches" actions={<span class="dim">readings of the contract</span>}>
      <ul class="rows switches">
        {switches.map((one) => (
          <Switch key={one.name} one={one} act={act} />
        ))}
      </ul>
    </Panel>
  )
}

function Switch({ one: { name, value, defaultValue, choices, summary }, act }: { one: SwitchState; act: Act }) {
  const id = useId()
  const choose = async (chosen: string | number) => {
    try {
      sayResult(await act('/time/switches', { name, value: chosen }))
    } catch (error) {
      sayFailure(error)
    }
  }
  const shared = { id, ...showsCommand(`sandbox switches ${name}=${value}`) }
  return (
    <li>
      <span class="switch-name">
        <label for={id}>{name}</label>
        {value !== defaultValue && <span class="badge warn">changed</span>}
      </span>
      {choices.length > 0 ? (
        <select {...shared} value={String(value)} onChange={(event) => void choose(event.currentTarget.value)}>
          {choices.map((choice) => (
            <option key={choice} value={choice}>
              {choice}
            </option>
          ))}
        </select>
      ) : (
        <input
          {...shared}
          type="number"
          min={0}
          value={String(value)}
          onChange={(event) => void choose(Number(event.currentTarget.value))}
        />
      )}
      <span class="dim">{summary}</span>
    </li>
  )
}

function Snapshots({ all: { snapshots }, act }: { all: TimeAndFaults; act: Act }) {
  const [name, setName] = useState('')
  const isKnown = snapshots.some((snapshot) => snapshot.name === name)
  return (
    <Panel title="Snapshots">
      {snapshots.length > 0 && (
        <ul class="rows">
          {snapshots.map((snapshot) => (
            <li key={snapshot.name}>
              <strong>{snapshot.name}</strong>
              <span class="dim">
                <Moment at={snapshot.savedAt} /> · {Math.ceil(snapshot.bytes / 1_000).toLocaleString('en-US')} kB
              </span>
              <span class="push">
                <Action
                  label={`Restore ${snapshot.name}`}
                  command={`sandbox snapshot restore ${snapshot.name}`}
                  run={() => act(`/time/snapshots/${encodeURIComponent(snapshot.name)}/restore`, {})}
                >
                  Restore
                </Action>
              </span>
            </li>
          ))}
        </ul>
      )}
      <form class="panel-body inline" onSubmit={(event) => event.preventDefault()}>
        <label class="grow">
          <span>Name of a snapshot</span>
          <input type="text" value={name} onInput={(event) => setName(event.currentTarget.value.trim())} />
        </label>
        <Action
          label={isKnown ? 'Overwrite snapshot' : 'Save snapshot'}
          type="submit"
          command={`sandbox snapshot save ${name === '' ? 'NAME' : name}${isKnown ? ' --force' : ''}`}
          run={() => act(`/time/snapshots/${encodeURIComponent(name)}`, { force: isKnown })}
          disabled={name === ''}
        />
      </form>
    </Panel>
  )
}
