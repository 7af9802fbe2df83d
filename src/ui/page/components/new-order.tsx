import { useState } from 'preact/hooks'
import { shellWord } from '../../../shared/command-words.js'
import type { Done, FormField } from '../../wire/deliveries.js'
import { requestOf } from '../models/form.js'
import { command } from '../models/text.js'
import { accounts, areSeveral, chosenAccount } from '../state/accounts.js'
import { OfAccount, useAccount } from './account.js'
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
  const around = useAccount().name
  const [chosen, setChosen] = useState(around ?? (chosenAccount.value || undefined))
  const account = accounts.value.find(({ profile, readOnly }) => profile === chosen && !readOnly)?.profile
  return (
    <Dialog title={around === undefined ? 'New order' : `New order of ${around}`} onClose={onClose} size="wide">
      {areSeveral.value && around === undefined && (
        <label class="field">
          <span>Account</span>
          <select value={account ?? ''} onChange={(event) => setChosen(event.currentTarget.value)}>
            <option value="">Choose the account that pays</option>
            {accounts.value
              .filter(({ readOnly }) => !readOnly)
              .map(({ profile, environment }) => (
                <option key={profile} value={profile}>
                  {environment === profile ? profile : `${profile} · ${environment}`}
                </option>
              ))}
          </select>
        </label>
      )}
      {(account !== undefined || !areSeveral.value) && (
        <OfAccount name={account}>
          <OrderForm key={account} from={from} onClose={onClose} />
        </OfAccount>
      )}
    </Dialog>
  )
}

function OrderForm({ from, onClose }: { from: string | undefined; onClose(): void }) {
  const account = useAccount()
  const path = `/forms/order${from === undefined ? '' : `?from=${encodeURIComponent(from)}`}`
  const { value: form } = useLoaded(() => account.get<{ fields: FormField[] }>(path), [path])
  return (
    <>
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
            const { message, deliveryId } = await account.post<Done>('/deliveries', { order, from })
            onClose()
            if (deliveryId !== undefined) account.go(`/deliveries/${deliveryId}`)
            return message
          }}
          onClose={onClose}
        />
      )}
    </>
  )
}
