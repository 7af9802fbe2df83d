import { useState } from 'preact/hooks'
import { shellWord } from '../../../../shared/command-words.js'
import { hasWords } from '../../../wire/list.js'
import type { MagicValue } from '../../../wire/time.js'
import { copy } from '../../state/keys.js'
import { Action } from '../action.js'
import { LineField } from '../fields.js'
import { Panel, Shortened } from '../pieces.js'

const shownValues = 12

/** The values that force an outcome, to be copied into an order. */
export function MagicValues({ values }: { values: readonly MagicValue[] }) {
  const [text, setText] = useState('')
  const found = values.filter(({ channel, value, effect }) => hasWords(`${channel} ${value} ${effect}`, text))
  return (
    <Panel title="Magic values" actions={<span class="dim">{found.length}</span>}>
      <div class="panel-body inline">
        <LineField label="Find a magic value" placeholder="gate closed, phone, 503" value={text} onType={setText} />
      </div>
      <Shortened items={found} first={shownValues}>
        {(shown) => (
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
        )}
      </Shortened>
    </Panel>
  )
}
