import { useId } from 'preact/hooks'
import type { SwitchState, TimeAndFaults } from '../../../wire/time.js'
import type { Act } from '../../models/act.js'
import { command } from '../../models/text.js'
import { sayFailure, sayResult } from '../../state/messages.js'
import { showsCommand } from '../action.js'
import { Panel } from '../pieces.js'

/** How the sandbox reads the contract where that is ambiguous; each choice acts at once. */
export function Switches({ all: { switches }, act }: { all: TimeAndFaults; act: Act }) {
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
  const shared = { id, ...showsCommand(command`sandbox switches ${`${name}=${value}`}`) }
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
