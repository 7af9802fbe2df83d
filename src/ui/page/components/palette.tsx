import { useState } from 'preact/hooks'
import { chosen } from '../models/palette.js'
import { knownDeliveries } from '../state/deliveries.js'
import { openDialog, screenKeys } from '../state/keys.js'
import { go } from '../state/router.js'
import { Dialog } from './dialog.js'

interface Choice {
  text: string
  hint: string
  run(): void
}

/** Type a few letters of a screen, an action or a delivery; arrows and Enter choose. */
export function Palette({ screens }: { screens: readonly { path: string; name: string }[] }) {
  const [query, setQuery] = useState('')
  const [at, setAt] = useState(0)
  const close = () => {
    openDialog.value = undefined
  }
  const choices: Choice[] = [
    ...screens.map(({ name, path }) => ({ text: name, hint: 'screen', run: () => go(path) })),
    ...screenKeys.value.map(({ words, run }) => ({ text: words, hint: 'action', run })),
    ...knownDeliveries().map(({ reference, deliveryId, status }) => ({
      text: reference,
      hint: status,
      run: () => go(`/deliveries/${deliveryId}`),
    })),
  ]
  const found = chosen(choices, query)
  const pick = (choice: Choice | undefined) => {
    if (choice === undefined) return
    close()
    choice.run()
  }
  return (
    <Dialog title="Palette" onClose={close}>
      <input
        aria-label="Go to"
        type="text"
        autofocus
        autocomplete="off"
        placeholder="Screen, action or order reference"
        value={query}
        role="combobox"
        aria-expanded={true}
        aria-controls="palette-choices"
        aria-activedescendant={found.length > 0 ? `choice-${at}` : undefined}
        onInput={(event) => {
          setQuery(event.currentTarget.value)
          setAt(0)
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter') pick(found[at])
          else if (event.key === 'ArrowDown') setAt(Math.min(at + 1, found.length - 1))
          else if (event.key === 'ArrowUp') setAt(Math.max(at - 1, 0))
          else return
          event.preventDefault()
        }}
      />
      <div id="palette-choices" role="listbox" aria-label="Choices" class="choices">
        {found.map((choice, index) => (
          <div
            key={`${choice.hint} ${choice.text}`}
            id={`choice-${index}`}
            role="option"
            aria-selected={index === at}
            tabIndex={-1}
            onClick={() => pick(choice)}
            onKeyDown={() => {}}
          >
            <span>{choice.text}</span>
            <span class="dim">{choice.hint}</span>
          </div>
        ))}
      </div>
      {found.length === 0 && <p class="dim">Nothing has these letters.</p>}
    </Dialog>
  )
}
