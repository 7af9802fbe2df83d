import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'
import type { Move } from '../../../../trade/statuses.js'
import type { DeliveryDetail, Done } from '../../../wire/deliveries.js'
import { command } from '../../models/text.js'
import { addKeys } from '../../state/keys.js'
import { sayFailure, sayResult } from '../../state/messages.js'
import { useAccount } from '../account.js'
import { Action } from '../action.js'
import { Dialog } from '../dialog.js'
import { FormActions } from '../form-fields.js'
import { useMedia } from '../hooks.js'

/** The statuses that the delivery can be advanced to, and no others. */
export function Moves({ detail }: { detail: DeliveryDetail }) {
  const [asked, setAsked] = useState<Move | undefined>(undefined)
  const isNarrow = useMedia('(max-width: 760px)')
  const { deliveryId } = detail.delivery
  const account = useAccount()
  const isOff = detail.moves.length === 0 || account.isReadOnly
  const advance = async (status: string, statusReasonCode = '') => {
    const { message } = await account.post<Done>(`/deliveries/${encodeURIComponent(deliveryId)}/simulate`, {
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
  const buttonOf = { deliveryId, ask: setAsked, advance: (move: Move) => advance(move.status) }
  return (
    <section class="moves" aria-label="Simulate">
      {isNarrow ? (
        <ChosenMove moves={detail.moves} {...buttonOf} />
      ) : (
        <>
          <span class="dim" aria-hidden="true">
            Advance to
          </span>
          {detail.moves.map((move, index) => (
            <MoveButton key={move.status} move={move} kind={index === 0 ? 'primary' : 'plain'} {...buttonOf}>
              {move.status}
            </MoveButton>
          ))}
        </>
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

interface MoveButtonOf {
  deliveryId: string
  /** Asks for the reason first. */
  ask(move: Move): void
  advance(move: Move): Promise<string>
}

/** On a narrow screen: buttons for all of them would fill it. */
function ChosenMove({ moves, ...buttonOf }: { moves: readonly Move[] } & MoveButtonOf) {
  const [chosen, setChosen] = useState<string | undefined>(undefined)
  const move = moves.find(({ status }) => status === chosen) ?? moves[0]
  if (move === undefined) return null
  return (
    <>
      <label class="move-choice">
        <span class="dim">Advance to</span>
        <select value={move.status} onChange={(event) => setChosen(event.currentTarget.value)}>
          {moves.map(({ status }) => (
            <option key={status} value={status}>
              {status}
            </option>
          ))}
        </select>
      </label>
      <MoveButton move={move} kind="primary" {...buttonOf}>
        Advance
      </MoveButton>
    </>
  )
}

interface MoveButtonProps extends MoveButtonOf {
  move: Move
  kind: 'primary' | 'plain'
  children: ComponentChildren
}

/** Its whole name is said; beside others of its kind, the status is enough to be seen. */
function MoveButton({ move, kind, deliveryId, ask, advance, children }: MoveButtonProps) {
  const account = useAccount()
  const simulate = command`simulate ${deliveryId} --to ${move.status}`
  if (move.reasons.length > 0)
    return (
      <button
        type="button"
        class={`button ${kind}`}
        aria-label={`Advance to ${move.status}`}
        onClick={() => ask(move)}
        {...account.shows(`${simulate} --reason CODE`)}
      >
        {children}
      </button>
    )
  return (
    <Action label={`Advance to ${move.status}`} kind={kind} command={simulate} run={() => advance(move)}>
      {children}
    </Action>
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
          command={command`simulate ${deliveryId} --to ${move.status} --reason ${reason}`}
          run={() => advance(reason)}
          refused={refused}
          onRefused={({ message }) => setRefused(message)}
          onClose={onClose}
        />
      </form>
    </Dialog>
  )
}
