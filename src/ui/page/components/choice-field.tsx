import { setQuery } from '../state/router.js'

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
