import { useState } from 'preact/hooks'
import type { TimeAndFaults } from '../../../wire/time.js'
import type { Act } from '../../models/act.js'
import { command } from '../../models/text.js'
import { sayFailure, sayResult } from '../../state/messages.js'
import { Action, showsCommand } from '../action.js'
import { Panel } from '../pieces.js'

/** The outage acts at once; the capacity when it is set. */
export function Outage({ all, act }: { all: TimeAndFaults; act: Act }) {
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
            {...showsCommand(command`sandbox faults ${all.outage ? '--no-outage' : '--outage'}`)}
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
            command={command`sandbox faults --capacity ${capacity === '' ? 'off' : capacity}`}
            run={() => act('/time/capacity', { available: capacity === '' ? null : Number(capacity) })}
            disabled={!isCount}
          />
        </form>
      </div>
    </Panel>
  )
}
