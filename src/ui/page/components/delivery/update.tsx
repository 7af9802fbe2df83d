import { useState } from 'preact/hooks'
import type { DeliveryDetail, Done } from '../../../wire/deliveries.js'
import { assignmentsOf, changesOf, type Typed, typedOf } from '../../models/form.js'
import { command, shellWord } from '../../models/text.js'
import { post } from '../../state/api.js'
import { Dialog } from '../dialog.js'
import { FormActions } from '../form-actions.js'
import { FormFields } from '../form-fields.js'
import { type Refusal, refusalOf } from '../refusal.js'

/** What may change at this stage. Only what was changed is sent; an emptied field is cleared. */
export function UpdateDelivery({ detail, onClose }: { detail: DeliveryDetail; onClose(): void }) {
  const { delivery } = detail
  // The fields as they were when the dialog opened: news of the delivery must not change what is being typed.
  const [fields] = useState(detail.editable)
  const [typed, setTyped] = useState<Typed>(() => typedOf(fields))
  const [refused, setRefused] = useState<Refusal | undefined>(undefined)
  const { value: changes, problems } = changesOf(fields, typed)
  const save = async () => {
    if (Object.keys(problems).length > 0) {
      setRefused({ text: 'Some fields cannot be sent like this.', problems })
      return undefined
    }
    if (Object.keys(changes).length === 0) {
      setRefused({ text: 'Nothing was changed.', problems: {} })
      return undefined
    }
    const { message } = await post<Done>(`/deliveries/${encodeURIComponent(delivery.deliveryId)}/update`, { changes })
    onClose()
    return message
  }
  const assignments = assignmentsOf(fields, typed).map((words) => ` ${words.map(shellWord).join(' ')}`)
  return (
    <Dialog title="Update" onClose={onClose} size="wide">
      <form onSubmit={(event) => event.preventDefault()}>
        <FormFields
          fields={fields}
          typed={typed}
          problems={refused?.problems ?? {}}
          onType={(path, text) => setTyped((before) => ({ ...before, [path]: text }))}
        />
        <FormActions
          label="Save"
          type="submit"
          command={command`deliveries update ${delivery.deliveryId}` + (assignments.join('') || ' --set PATH=VALUE')}
          run={save}
          refused={refused?.text}
          onRefused={(failure) => setRefused(refusalOf(failure, fields))}
          onClose={onClose}
        />
      </form>
    </Dialog>
  )
}
