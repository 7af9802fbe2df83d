import { useState } from 'preact/hooks'
import { shellWord } from '../../../../shared/command-words.js'
import type { Remedy } from '../../../../trade/policy-changes.js'
import type { DeliveryDetail, Done } from '../../../wire/deliveries.js'
import { assignmentsOf, changesOf, fieldsFor } from '../../models/form.js'
import { command, priceText } from '../../models/text.js'
import { useAccount } from '../account.js'
import { Action } from '../action.js'
import { Dialog } from '../dialog.js'
import { RequestForm } from '../form-fields.js'

interface UpdateDeliveryProps {
  detail: DeliveryDetail
  /** Asks for its fields only, with their values to begin with. */
  remedy?: Remedy | undefined
  onClose(): void
}

/** The fields that can be updated at this stage. Only changed fields are sent; an emptied field is cleared. */
export function UpdateDelivery({ detail, remedy, onClose }: UpdateDeliveryProps) {
  const account = useAccount()
  const { deliveryId, clientOrderReference } = detail.delivery
  const title = remedy === undefined ? 'Update' : `${remedy.label}: ${clientOrderReference ?? deliveryId}`
  // The fields as they were when the dialog opened: news of the delivery must not change what is being typed.
  const [fields] = useState(() => fieldsFor(detail.editable, remedy))
  return (
    <Dialog title={title} onClose={onClose} size={remedy === undefined ? 'wide' : 'small'}>
      <RequestForm
        fields={fields}
        typed={Object.fromEntries((remedy?.fields ?? []).map(({ path, value }) => [path, value]))}
        read={(typed) => changesOf(fields, typed)}
        label="Save"
        command={(_, typed) => {
          const assignments = assignmentsOf(fields, typed).map((words) => ` ${words.map(shellWord).join(' ')}`)
          return command`deliveries update ${deliveryId}` + (assignments.join('') || ' --set PATH=VALUE')
        }}
        send={async (changes) => {
          const { message } = await account.post<Done>(`/deliveries/${encodeURIComponent(deliveryId)}/update`, {
            changes,
          })
          onClose()
          return message
        }}
        onClose={onClose}
      />
    </Dialog>
  )
}

/** Says what cancelling costs before anything is sent. */
export function CancelDelivery({ detail, onClose }: { detail: DeliveryDetail; onClose(): void }) {
  const [reason, setReason] = useState('customer_cancelled')
  const [reasonNotes, setNotes] = useState('')
  const account = useAccount()
  const { deliveryId, clientOrderReference } = detail.delivery
  const flags = [
    ...(reason === '' ? [] : ['--reason', shellWord(reason)]),
    ...(reasonNotes === '' ? [] : ['--notes', shellWord(reasonNotes)]),
  ]
  return (
    <Dialog title={`Cancel ${clientOrderReference ?? deliveryId}?`} onClose={onClose}>
      <form onSubmit={(event) => event.preventDefault()}>
        <p class="fee">{feeText(detail.cancellationFeeNowCents, detail.delivery.pricing?.currency)}</p>
        <div class="form-fields">
          <div class="field">
            <label class="path" for="cancel-reason">
              reason
            </label>
            <input id="cancel-reason" value={reason} onInput={(event) => setReason(event.currentTarget.value)} />
          </div>
          <div class="field">
            <label class="path" for="cancel-notes">
              reasonNotes
            </label>
            <input id="cancel-notes" value={reasonNotes} onInput={(event) => setNotes(event.currentTarget.value)} />
          </div>
        </div>
        <footer class="dialog-actions">
          <button type="button" class="button plain" onClick={onClose}>
            Keep it
          </button>
          <Action
            label="Cancel the delivery"
            kind="danger"
            command={[command`deliveries cancel ${deliveryId}`, ...flags].join(' ')}
            run={async () => {
              const { message } = await account.post<Done>(`/deliveries/${encodeURIComponent(deliveryId)}/cancel`, {
                reason,
                reasonNotes,
              })
              onClose()
              return message
            }}
          />
        </footer>
      </form>
    </Dialog>
  )
}

function feeText(cents: number | null, currency: string | null | undefined): string {
  if (cents === null) return 'A cancellation fee may apply; the service says it afterwards.'
  return cents === 0 ? 'Cancellation fee now: none.' : `Cancellation fee now: ${priceText(cents, currency)}.`
}
