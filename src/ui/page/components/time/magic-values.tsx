import { useState } from 'preact/hooks'
import { hasWords } from '../../../wire/search.js'
import type { MagicValueState } from '../../../wire/time.js'
import { shellWord } from '../../models/text.js'
import { copy } from '../../state/keys.js'
import { Action } from '../action.js'
import { Panel } from '../pieces.js'
import { TextField } from '../text-field.js'

const shownValues = 12

/** The values that force an outcome, to be copied into an order. */
export function MagicValues({ values }: { values: readonly MagicValueState[] }) {
  const [text, setText] = useState('')
  const [isOpen, setOpen] = useState(false)
  const found = values.filter(({ channel, value, effect }) => hasWords(`${channel} ${value} ${effect}`, text))
  const shown = isOpen ? found : found.slice(0, shownValues)
  return (
    <Panel title="Magic values" actions={<span class="dim">{found.length}</span>}>
      <div class="panel-body inline">
        <TextField
          label="Find a magic value"
          type="search"
          placeholder="gate closed, phone, 503"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </div>
      <ul class="rows magic">
        {shown.map(({ channel, value, effect }) => (
          <li key={`${channel} ${value}`}>
            <span class="dim">{channel}</span>
            <code>{value}</code>
            <span>
              {effect.split('`').map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}
            </span>
            <Action
              label={`Copy ${value}`}
              command={`sandbox magic ${shellWord(channel)}`}
              readsOnly
              run={async () => {
                await copy(value, `Copied ${value}.`)
                return undefined
              }}
            >
              Copy
            </Action>
          </li>
        ))}
      </ul>
      {found.length > shown.length && (
        <div class="panel-body">
          <button type="button" class="button plain" onClick={() => setOpen(true)}>
            Show all {found.length}
          </button>
        </div>
      )}
    </Panel>
  )
}
