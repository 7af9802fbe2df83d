import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { FormField } from '../../wire/deliveries.js'
import type { Failure } from '../../wire/session.js'
import { groupOf, type Reading, type Typed, typedOf } from '../models/form.js'
import { Failed } from '../state/api.js'
import { Action, type ActionProps } from './action.js'

interface FormFieldsProps {
  fields: readonly FormField[]
  typed: Typed
  /** The problems of fields, by path. */
  problems: Readonly<Record<string, string>>
  onType(path: string, text: string): void
}

/** The fields of a request in groups, each labelled by its path on the wire; the first one gets the focus. */
function FormFields({ fields, typed, problems, onType }: FormFieldsProps) {
  const groups = new Map<string, FormField[]>()
  for (const field of fields) {
    const group = groupOf(field.path)
    groups.set(group, [...(groups.get(group) ?? []), field])
  }
  const root = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => root.current?.querySelector<HTMLElement>('input, select, textarea')?.focus(), [])
  return (
    <div class="form-fields" ref={root}>
      {[...groups].map(([group, members]) => (
        <fieldset key={group}>
          <legend>{group}</legend>
          {members.map((field) => (
            <Field
              key={field.path}
              field={field}
              text={typed[field.path] ?? ''}
              problem={problems[field.path]}
              onType={(text) => onType(field.path, text)}
            />
          ))}
        </fieldset>
      ))}
    </div>
  )
}

interface FieldProps {
  field: FormField
  text: string
  problem: string | undefined
  onType(text: string): void
}

export function Field({ field, text, problem, onType }: FieldProps) {
  const id = useId()
  const { path, required, maxLength } = field
  const shared = {
    id,
    'aria-required': required,
    'aria-invalid': problem !== undefined,
    'aria-describedby': problem === undefined ? undefined : `${id}-problem`,
  }
  const choices = field.type === 'boolean' ? ['true', 'false'] : field.choices
  return (
    <div class="field">
      <span class="field-head">
        <label class="path" for={id}>
          {path}
        </label>
        {required && (
          <span class="required" aria-hidden="true" title="required">
            *
          </span>
        )}
      </span>
      {choices !== undefined ? (
        <select {...shared} value={text} onChange={(event) => onType(event.currentTarget.value)}>
          <option value="">—</option>
          {choices.map((choice) => (
            <option key={choice} value={choice}>
              {choice}
            </option>
          ))}
        </select>
      ) : field.type === 'json' ? (
        <textarea
          {...shared}
          rows={1}
          value={text}
          spellcheck={false}
          onInput={(event) => onType(event.currentTarget.value)}
        />
      ) : (
        <input
          {...shared}
          type="text"
          autocomplete="off"
          placeholder={field.example}
          inputMode={field.type === 'integer' ? 'numeric' : undefined}
          value={text}
          onInput={(event) => onType(event.currentTarget.value)}
        />
      )}
      {problem === undefined ? (
        maxLength !== undefined &&
        text.length > maxLength * 0.8 && (
          <span class="dim">
            {text.length} of {maxLength}
          </span>
        )
      ) : (
        <span id={`${id}-problem`} class="problem">
          {problem}
        </span>
      )}
    </div>
  )
}

interface RequestFormProps {
  fields: readonly FormField[]
  /** What the fields begin with instead of their values. */
  typed?: Typed
  /** The request of what was typed. */
  read(typed: Typed): Reading
  label: string
  /** The words of the command after `dlv` that sends the same. */
  command(value: Record<string, unknown>, typed: Typed): string
  /** Sends it; what it returns is said as the result. */
  send(value: Record<string, unknown>): Promise<string>
  onClose(): void
}

/** A form that sends one request, and shows at its fields why it was refused. Ctrl-Enter sends it, too. */
export function RequestForm({ fields, typed: begun, read, label, command, send, onClose }: RequestFormProps) {
  const [typed, setTyped] = useState<Typed>(() => ({ ...typedOf(fields), ...begun }))
  const [refused, setRefused] = useState<Refusal | undefined>(undefined)
  const { value, problems } = read(typed)
  const run = async () => {
    if (Object.keys(problems).length > 0) setRefused({ text: 'Some fields cannot be sent like this.', problems })
    else if (Object.keys(value).length === 0) setRefused({ text: 'Nothing was changed.', problems: {} })
    else return send(value)
    return undefined
  }
  return (
    <form
      onSubmit={(event) => event.preventDefault()}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey))
          event.currentTarget.querySelector<HTMLElement>('button[type=submit]')?.click()
      }}
    >
      <FormFields
        fields={fields}
        typed={typed}
        problems={refused?.problems ?? {}}
        onType={(path, text) => setTyped((before) => ({ ...before, [path]: text }))}
      />
      <FormActions
        label={label}
        type="submit"
        command={command(value, typed)}
        run={run}
        refused={refused?.text}
        onRefused={(failure) => setRefused(refusalOf(failure, fields))}
        onClose={onClose}
      />
    </form>
  )
}

/** The footer of a form in a dialog: the last refusal, Close, and the action, whose refusals the form shows. */
export function FormActions({
  refused,
  onRefused,
  onClose,
  ...action
}: Omit<ActionProps, 'onFailure' | 'kind'> & {
  refused: string | undefined
  onRefused(failure: Failure): void
  onClose(): void
}) {
  return (
    <footer class="dialog-actions">
      {refused !== undefined && (
        <p class="problem" role="alert">
          {refused}
        </p>
      )}
      <button type="button" class="button plain" onClick={onClose}>
        Close
      </button>
      <Action
        {...action}
        kind="primary"
        onFailure={(error) => {
          if (!(error instanceof Failed)) return false
          onRefused(error.failure)
          return true
        }}
      />
    </footer>
  )
}

/** A refused request as a form shows it: in words, and at its fields. */
interface Refusal {
  text: string
  problems: Record<string, string>
}

/** Problems of fields that the form does not have are added to the text. */
function refusalOf({ message, fieldErrors = [] }: Failure, fields: readonly FormField[]): Refusal {
  const known = new Set(fields.map(({ path }) => path))
  const others = fieldErrors.filter(({ field }) => !known.has(field))
  return {
    text: [message, ...others.map(({ field, message: text = 'is not valid' }) => `${field} ${text}`)].join(' '),
    problems: Object.fromEntries(
      fieldErrors
        .filter(({ field }) => known.has(field))
        .map(({ field, message: text = 'is not valid' }) => [field, text]),
    ),
  }
}
