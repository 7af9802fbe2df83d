import { useState } from 'preact/hooks'
import { shellWord } from '../../../shared/shell-word.js'
import type { Done, FormField } from '../../wire/deliveries.js'
import { requestOf, type Typed, typedOf } from '../models/form.js'
import { get, post } from '../state/api.js'
import { go } from '../state/router.js'
import { Dialog } from './dialog.js'
import { FormActions, FormFields, type Refusal, refusalOf } from './form-fields.js'
import { useLoaded } from './hooks.js'

/** A new order: every field of the contract, with a realistic example filled in. */
export function NewOrder({ onClose }: { onClose(): void }) {
  const { value: form } = useLoaded(() => get<{ fields: FormField[] }>('/forms/order'), [])
  return (
    <Dialog title="New order" onClose={onClose} size="wide">
      {form === undefined ? (
        <p class="dim">Reading the contract…</p>
      ) : (
        <OrderForm fields={form.fields} onClose={onClose} />
      )}
    </Dialog>
  )
}

function OrderForm({ fields, onClose }: { fields: readonly FormField[]; onClose(): void }) {
  const [typed, setTyped] = useState<Typed>(() => typedOf(fields))
  const [refused, setRefused] = useState<Refusal | undefined>(undefined)
  const { value, problems } = requestOf(fields, typed)
  const create = async () => {
    if (Object.keys(problems).length > 0) {
      setRefused({ text: 'Some fields cannot be sent like this.', problems })
      return undefined
    }
    const { message, deliveryId } = await post<Done>('/deliveries', { order: value })
    onClose()
    if (deliveryId !== undefined) go(`/deliveries/${deliveryId}`)
    return message
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
        label="Create"
        type="submit"
        command={`deliveries create --file - <<< ${shellWord(JSON.stringify(value))}`}
        run={create}
        refused={refused?.text}
        onRefused={(failure) => setRefused(refusalOf(failure, fields))}
        onClose={onClose}
      />
    </form>
  )
}
