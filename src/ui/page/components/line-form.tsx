import type { Ref } from 'preact'
import { Action, type ActionProps } from './action.js'

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
