import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'

interface ShortenedProps<Item> {
  items: readonly Item[]
  /** So many are shown until more are asked for. */
  first: number
  children(shown: readonly Item[]): ComponentChildren
}

/** A long list with its beginning first. */
export function Shortened<Item>({ items, first, children }: ShortenedProps<Item>) {
  const [isWhole, setWhole] = useState(false)
  const shown = isWhole ? items : items.slice(0, first)
  return (
    <>
      {children(shown)}
      {shown.length < items.length && (
        <div class="panel-body">
          <button type="button" class="button plain" onClick={() => setWhole(true)}>
            Show {items.length - shown.length} more
          </button>
        </div>
      )}
    </>
  )
}
