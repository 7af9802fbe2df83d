import type { Ref } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { addKeys } from '../state/keys.js'
import { place, setQuery } from '../state/router.js'
import { Action, type ActionProps } from './action.js'

interface SearchFieldProps {
  /** Names the searchable fields. */
  placeholder: string
  /** The effect of its key, in words. */
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

interface ChoiceFieldProps {
  label: string
  /** The name of the choice in the address. */
  name: string
  value: string
  /** Each value with its words. */
  choices: readonly (readonly [value: string, words: string])[]
}

/** A filter with a few choices, kept in the address. */
export function ChoiceField({ label, name, value: chosen, choices }: ChoiceFieldProps) {
  return (
    <label>
      <span>{label}</span>
      <select value={chosen} onChange={(event) => setQuery({ [name]: event.currentTarget.value })}>
        {choices.map(([value, words]) => (
          <option key={value} value={value}>
            {words}
          </option>
        ))}
      </select>
    </label>
  )
}

interface LineFieldProps {
  label: string
  value: string
  onType(text: string): void
  inputMode?: 'numeric' | 'url'
  placeholder?: string
  isWrong?: boolean
  field?: Ref<HTMLInputElement>
}

/** A line of text beside buttons; it takes the width that they leave. */
export function LineField({ label, onType, isWrong, field, ...input }: LineFieldProps) {
  return (
    <label class="grow">
      <span>{label}</span>
      <input
        ref={field}
        type="text"
        aria-invalid={isWrong}
        {...input}
        onInput={(event) => onType(event.currentTarget.value)}
      />
    </label>
  )
}

/** A line of text without spaces around it, and the button that acts on it. */
export function LineForm({ action, onType, ...field }: LineFieldProps & { action: ActionProps }) {
  return (
    <form class="inline" onSubmit={(event) => event.preventDefault()}>
      <LineField {...field} onType={(text) => onType(text.trim())} />
      <Action type="submit" {...action} />
    </form>
  )
}
