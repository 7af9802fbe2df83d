import { useState } from 'preact/hooks'
import type { TimeAndFaults } from '../../../wire/time.js'
import type { Act } from '../../models/act.js'
import { command, shellWord } from '../../models/text.js'
import { Action } from '../action.js'
import { Moment, Panel } from '../pieces.js'

/** Named copies of the sandbox's state. */
export function Snapshots({ all: { snapshots }, act }: { all: TimeAndFaults; act: Act }) {
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
                  command={`sandbox snapshot restore ${shellWord(snapshot.name)}`}
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
          command={command`sandbox snapshot save ${name || 'NAME'}` + (isKnown ? ' --force' : '')}
          run={() => act(`/time/snapshots/${encodeURIComponent(name)}`, { force: isKnown })}
          disabled={name === ''}
        />
      </form>
    </Panel>
  )
}
