import type { Ref } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { shellWord } from '../../../../shared/command-words.js'
import { roundedSpan } from '../../../../shared/durations.js'
import type { Clock } from '../../../wire/session.js'
import type { TimeAndFaults } from '../../../wire/time.js'
import { clockText } from '../../models/text.js'
import { clockScale, serviceNowMs } from '../../state/session.js'
import { useAccount } from '../account.js'
import { LineForm } from '../fields.js'
import type { Act } from '../hooks.js'
import { EventLink, Moment, Panel, StatusBadge } from '../pieces.js'

interface ClocksProps {
  clock: Clock
  act: Act
  advanceField: Ref<HTMLInputElement>
}

/** The sandbox's clock beside this machine's, and the ways to move it. */
export function Clocks({ clock, act, advanceField }: ClocksProps) {
  const [span, setSpan] = useState('1h')
  const [time, setTime] = useState('')
  const [scale, setScale] = useState(String(clock.scale))
  const nowMs = useSecondHand()
  const ahead = nowMs - Date.now()
  const move = (change: object) => act<Clock>('/control/clock', change, clockSaid)
  return (
    <Panel title="Clocks">
      <dl class="clocks">
        <div>
          <dt>Sandbox</dt>
          <dd>
            <time dateTime={new Date(nowMs).toISOString()}>{clockText(new Date(nowMs).toISOString(), nowMs)}</time>
          </dd>
          <dd class="dim">
            {new Date(nowMs).toISOString().slice(0, 16).replace('T', ' ')} UTC
            {clock.scale === 1 ? '' : `, ${clock.scale} × real time`}
          </dd>
        </div>
        <div>
          <dt>This machine</dt>
          <dd>{clockText(new Date().toISOString(), Date.now())}</dd>
          <dd class="dim">
            {Math.abs(ahead) < 2_000
              ? 'the same time'
              : `the sandbox is ${roundedSpan(ahead)} ${ahead > 0 ? 'ahead' : 'behind'}`}
          </dd>
        </div>
      </dl>
      <div class="panel-body levers">
        <LineForm
          label="Advance by"
          field={advanceField}
          placeholder="2h"
          value={span}
          onType={setSpan}
          action={{
            label: 'Advance clock',
            kind: 'primary',
            command: `sandbox clock advance ${span === '' ? 'DURATION' : shellWord(span)}`,
            run: () => move({ advance: span }),
            disabled: span === '',
          }}
        />
        <LineForm
          label="Set to (RFC 3339)"
          placeholder={new Date(nowMs).toISOString().slice(0, 19).concat('Z')}
          value={time}
          onType={setTime}
          action={{
            label: 'Set clock',
            command: `sandbox clock set ${time === '' ? 'TIME' : shellWord(time)}`,
            run: () => move({ set: time }),
            disabled: time === '',
          }}
        />
        <LineForm
          label="Scale: sandbox seconds in one real second"
          inputMode="numeric"
          value={scale}
          onType={setScale}
          action={{
            label: 'Set scale',
            command: `sandbox clock --scale ${scale === '' ? 'N' : shellWord(scale)}`,
            run: () => move({ scale: Number(scale) }),
            disabled: !/^\d+(?:\.\d+)?$/.test(scale),
          }}
        />
      </div>
    </Panel>
  )
}

function clockSaid({ now: time, scale }: Clock): string {
  return `The clock is at ${time}${scale === 1 ? '' : `, at ${scale} seconds a second`}.`
}

/** The sandbox's time, once a second. */
function useSecondHand(): number {
  const { name } = useAccount()
  const [nowMs, setNowMs] = useState(() => serviceNowMs(name))
  const scale = clockScale(name)
  useEffect(() => {
    const tick = () => setNowMs(serviceNowMs(name))
    tick()
    const timer = setInterval(tick, 1_000)
    return () => clearInterval(timer)
  }, [scale, name])
  return nowMs
}

/** The steps of deliveries and the webhooks that are due next on the sandbox's clock, soonest first. */
export function DueNext({ schedule: { deliveries, webhooks } }: Pick<TimeAndFaults, 'schedule'>) {
  const account = useAccount()
  const rows = [
    ...deliveries.map(({ deliveryId, clientOrderReference, status, dueAt }) => ({
      key: deliveryId,
      dueAt,
      what: <a href={account.addressOf(`/deliveries/${deliveryId}`)}>{clientOrderReference}</a>,
      more: <StatusBadge status={status} />,
    })),
    ...webhooks.map(({ eventId, eventType, attempt, dueAt, url }) => ({
      key: `${eventId} ${url}`,
      dueAt,
      what: <EventLink eventId={eventId} type={eventType} />,
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
                <Moment at={dueAt} />{' '}
                <span class="dim">in {roundedSpan(Math.max(0, Date.parse(dueAt) - account.now()))}</span>
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
