import { shellWord } from '../../../shared/command-words.js'
import type { Done, FormField } from '../../wire/deliveries.js'
import { requestOf } from '../models/form.js'
import { command } from '../models/text.js'
import { get, post } from '../state/api.js'
import { go } from '../state/router.js'
import { Dialog } from './dialog.js'
import { RequestForm } from './form-fields.js'
import { useLoaded } from './hooks.js'
import { Unread } from './pieces.js'

interface NewOrderProps {
  /** The delivery that it begins like; a realistic example if there is none. */
  from?: string
  onClose(): void
}

/** A new order: every field of the contract, with something filled in. */
export function NewOrder({ from, onClose }: NewOrderProps) {
  const path = `/forms/order${from === undefined ? '' : `?from=${encodeURIComponent(from)}`}`
  const { value: form } = useLoaded(() => get<{ fields: FormField[] }>(path), [path])
  return (
    <Dialog title="New order" onClose={onClose} size="wide">
      {form === undefined ? (
        <Unread what="the contract" />
      ) : (
        <RequestForm
          fields={form.fields}
          read={(typed) => requestOf(form.fields, typed)}
          label="Create"
          command={(value) =>
            from === undefined
              ? `deliveries create --file - <<< ${shellWord(JSON.stringify(value))}`
              : command`deliveries create --from ${from}`
          }
          send={async (order) => {
            const { message, deliveryId } = await post<Done>('/deliveries', { order, from })
            onClose()
            if (deliveryId !== undefined) go(`/deliveries/${deliveryId}`)
            return message
          }}
          onClose={onClose}
        />
      )}
    </Dialog>
  )
}
