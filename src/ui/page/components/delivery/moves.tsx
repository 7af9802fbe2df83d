import { useLayoutEffect, useState } from 'preact/hooks'
import type { DeliveryDetail, Done, Move } from '../../../wire/deliveries.js'
import { post } from '../../state/api.js'
import { addKeys } from '../../state/keys.js'
import { sayFailure, sayResult } from '../../state/messages.js'
import { session } from '../../state/session.js'
import { Action, showsCommand } from '../action.js'
import { Dialog } from '../dialog.js'
import { FormActions } from '../form-actions.js'

/** The statuses that the delivery can be advanced to, and no others. */
export function Moves({ detail }: { detail: DeliveryDetail }) {
  const [asked, setAsked] = useState<Move | undefined>(undefined)
  const { deliveryId } = detail.delivery
  const isOff = detail.moves.length === 0 || session.value?.readOnly !== false
  const advance = async (status: string, statusReasonCode = '') => {
    const { message } = await post<Done>(`/deliveries/${encodeURIComponent(deliveryId)}/simulate`, {
      advanceTo: status,
      statusReasonCode,
    })
    return message
  }
  // The next status has a key; the palette has all of them.
  useLayoutEffect(() => {
    if (isOff) return
    return addKeys(
      detail.moves.map((move, index) => ({
        key: index === 0 ? 'a' : '',
        words: `Advance to ${move.status}`,
        run() {
          if (move.reasons.length > 0) setAsked(move)
          else advance(move.status).then(sayResult, sayFailure)
        },
      })),
    )
  }, [detail, isOff])
  if (isOff) return null
  return (
    <section class="moves" aria-label="Simulate">
      <span class="dim" aria-hidden="true">
        Advance to
      </span>
      {detail.moves.map((move, index) =>
        move.reasons.length === 0 ? (
          <Action
            key={move.status}
            label={`Advance to ${move.status}`}
            kind={index === 0 ? 'primary' : 'plain'}
            command={`simulate ${deliveryId} --to ${move.status}`}
            run={() => advance(move.status)}
          >
            <MoveName status={move.status} />
          </Action>
        ) : (
          <button
            key={move.status}
            type="button"
            class="button plain"
            onClick={() => setAsked(move)}
            {...showsCommand(`simulate ${deliveryId} --to ${move.status} --reason CODE`)}
          >
            <MoveName status={move.status} />
          </button>
        ),
      )}
      {asked !== undefined && (
        <ReasonDialog
          move={asked}
          deliveryId={deliveryId}
          onClose={() => setAsked(undefined)}
          advance={async (reason) => {
            const message = await advance(asked.status, reason)
            setAsked(undefined)
            return message
          }}
        />
      )}
    </section>
  )
}

/** The whole name is said; beside others of its kind, the status is enough to be seen. */
function MoveName({ status }: { status: string }) {
  return (
    <>
      <span class="visually-hidden">Advance to </span>
      {status}
    </>
  )
}

interface ReasonDialogProps {
  move: Move
  deliveryId: string
  onClose(): void
  advance(reason: string): Promise<string>
}

function ReasonDialog({ move, deliveryId, onClose, advance }: ReasonDialogProps) {
  const [reason, setReason] = useState(move.reasons[0] ?? '')
  const [refused, setRefused] = useState<string | undefined>(undefined)
  return (
    <Dialog title={`Advance to ${move.status}`} onClose={onClose}>
      <form onSubmit={(event) => event.preventDefault()}>
        <div class="field">
          <label for="move-reason">Reason</label>
          <select id="move-reason" value={reason} onChange={(event) => setReason(event.currentTarget.value)}>
            {move.reasons.map((code) => (
              <option key={code} value={code}>
                {code}
              </option>
            ))}
          </select>
        </div>
        <FormActions
          label="Advance"
          type="submit"
          command={`simulate ${deliveryId} --to ${move.status} --reason ${reason}`}
          run={() => advance(reason)}
          refused={refused}
          onRefused={({ message }) => setRefused(message)}
          onClose={onClose}
        />
      </form>
    </Dialog>
  )
}
