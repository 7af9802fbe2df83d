import { useEffect, useState } from 'preact/hooks'
import type { ListPage, ListRow } from '../../wire/list.js'
import type { DeliverySummary } from '../../wire/live.js'
import { chosen } from '../models/palette.js'
import { words } from '../models/text.js'
import { get } from '../state/api.js'
import { knownDeliveries } from '../state/deliveries.js'
import { screenKeys } from '../state/keys.js'
import { go } from '../state/router.js'
import { accountNamed } from './account.js'
import { Dialog } from './dialog.js'

interface Choice {
  text: string
  hint: string
  account?: string | undefined
  run(): void
}

function deliveryChoice({ account, reference, deliveryId, status }: ListRow | DeliverySummary): Choice {
  const hint = account === undefined ? status : `${account} · ${status}`
  return { text: reference, hint, account, run: () => accountNamed(account).go(`/deliveries/${deliveryId}`) }
}

const keyOfChoice = ({ account, text }: Choice) => `${account ?? ''} ${text}`

/** Deliveries of the archive with this reference, id, name, phone, street or event. */
function useArchived(query: string): readonly ListRow[] {
  const [rows, setRows] = useState<readonly ListRow[]>([])
  useEffect(() => {
    setRows([])
    if (query.trim().length < 3) return
    let isOver = false
    const read = () =>
      get<ListPage>(`/list?${new URLSearchParams({ q: query, limit: '8' })}`).then(
        (page) => isOver || setRows(page.rows),
        // The other choices are there without it.
        () => {},
      )
    const timer = setTimeout(read, 150)
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [query])
  return rows
}

interface PaletteProps {
  screens: readonly { path: string; name: string }[]
  onClose(): void
}

/** Type a few letters of a screen, an action or a delivery; arrows and Enter choose. */
export function Palette({ screens, onClose }: PaletteProps) {
  const [query, setQuery] = useState('')
  const [at, setAt] = useState(0)
  const choices: Choice[] = [
    ...screens.map(({ name, path }) => ({ text: name, hint: 'screen', run: () => go(path) })),
    ...screenKeys.value.map(({ words: text, run }) => ({ text, hint: 'action', run })),
    ...knownDeliveries().map(deliveryChoice),
  ]
  const near = chosen(choices, query)
  const known = new Set(near.map(keyOfChoice))
  const found = [
    ...near,
    ...useArchived(query)
      .map(deliveryChoice)
      .filter((choice) => !known.has(keyOfChoice(choice))),
  ]
  const pick = (choice: Choice | undefined) => {
    if (choice === undefined) return
    onClose()
    choice.run()
  }
  return (
    <Dialog title="Palette" onClose={onClose}>
      <input
        aria-label="Go to"
        type="text"
        autofocus
        autocomplete="off"
        placeholder="Screen, action, order, name, phone, street, event"
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
            <span class="dim">{words(choice.hint)}</span>
          </div>
        ))}
      </div>
      {found.length === 0 && <p class="dim">Nothing has these letters.</p>}
    </Dialog>
  )
}
