import type { Ref } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { Clock } from '../../../wire/session.js'
import type { Act } from '../../models/act.js'
import { clockText, shellWord, spanText } from '../../models/text.js'
import { clockScale, serviceNowMs } from '../../state/session.js'
import { Action } from '../action.js'
import { Panel } from '../pieces.js'

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
              : `the sandbox is ${spanText(ahead)} ${ahead > 0 ? 'ahead' : 'behind'}`}
          </dd>
        </div>
      </dl>
      <div class="panel-body levers">
        <form class="inline" onSubmit={(event) => event.preventDefault()}>
          <label class="grow">
            <span>Advance by</span>
            <input
              ref={advanceField}
              type="text"
              placeholder="2h"
              value={span}
              onInput={(event) => setSpan(event.currentTarget.value.trim())}
            />
          </label>
          <Action
            label="Advance clock"
            kind="primary"
            type="submit"
            command={`sandbox clock advance ${span === '' ? 'SPAN' : shellWord(span)}`}
            run={() => act('/time/clock', { advance: span })}
            disabled={span === ''}
          />
        </form>
        <form class="inline" onSubmit={(event) => event.preventDefault()}>
          <label class="grow">
            <span>Set to (RFC 3339)</span>
            <input
              type="text"
              placeholder={new Date(nowMs).toISOString().slice(0, 19).concat('Z')}
              value={time}
              onInput={(event) => setTime(event.currentTarget.value.trim())}
            />
          </label>
          <Action
            label="Set clock"
            type="submit"
            command={`sandbox clock set ${time === '' ? 'TIME' : shellWord(time)}`}
            run={() => act('/time/clock', { set: time })}
            disabled={time === ''}
          />
        </form>
        <form class="inline" onSubmit={(event) => event.preventDefault()}>
          <label class="grow">
            <span>Scale: sandbox seconds in one real second</span>
            <input
              type="text"
              inputMode="numeric"
              value={scale}
              onInput={(event) => setScale(event.currentTarget.value.trim())}
            />
          </label>
          <Action
            label="Set scale"
            type="submit"
            command={`sandbox clock --scale ${scale === '' ? 'N' : shellWord(scale)}`}
            run={() => act('/time/clock', { scale: Number(scale) })}
            disabled={!/^\d+(?:\.\d+)?$/.test(scale)}
          />
        </form>
      </div>
    </Panel>
  )
}

/** The sandbox's time, once a second. */
function useSecondHand(): number {
  const [nowMs, setNowMs] = useState(serviceNowMs)
  const scale = clockScale()
  useEffect(() => {
    const tick = () => setNowMs(serviceNowMs())
    tick()
    const timer = setInterval(tick, 1_000)
    return () => clearInterval(timer)
  }, [scale])
  return nowMs
}
