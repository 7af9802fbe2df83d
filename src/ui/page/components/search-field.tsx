import { useLayoutEffect, useRef } from 'preact/hooks'
import { addKeys } from '../state/keys.js'
import { place, setQuery } from '../state/router.js'

interface SearchFieldProps {
  /** What can be searched for. */
  placeholder: string
  /** What its key does, in words. */
  words: string
}

/** The field *Search*: its text is `?q=` of the address, and `/` moves the focus to it. */
export function SearchField({ placeholder, words }: SearchFieldProps) {
  const field = useRef<HTMLInputElement>(null)
  const run = () => {
    field.current?.focus()
    field.current?.select()
  }
  useLayoutEffect(() => addKeys([{ key: '/', words, run }]), [words])
  return (
    <label class="search">
      <span>Search</span>
      <input
        ref={field}
        type="search"
        placeholder={placeholder}
        value={place.value.query.get('q') ?? ''}
        onInput={(event) => setQuery({ q: event.currentTarget.value })}
      />
    </label>
  )
}
