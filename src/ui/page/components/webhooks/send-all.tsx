import { useState } from 'preact/hooks'
import type { WebhookOverview } from '../../../wire/webhooks.js'
import { command, count } from '../../models/text.js'
import { Action, showsCommand } from '../action.js'
import { Dialog } from '../dialog.js'

/** More than this is sent only after a question: without a search, nobody has said which events they mean. */
const unasked = { withSearch: 500, withoutSearch: 100 }

interface SendAllProps {
  all: WebhookOverview
  search: string
  /** Sends them, and resolves with what to say. */
  send(): Promise<string>
}

/** Sends each event that matches the search once more; asks first if they are many. */
export function SendAll({ all, search, send }: SendAllProps) {
  const [isAsking, setAsking] = useState(false)
  const { canSend, matching, receivers } = all
  const command = commandOf(all)
  if (!canSend) return null
  if (matching <= (search === '' ? unasked.withoutSearch : unasked.withSearch))
    return <Action label="Send all that match" command={command} run={send} disabled={matching === 0} />
  const close = () => setAsking(false)
  return (
    <>
      <button type="button" class="button plain" onClick={() => setAsking(true)} {...showsCommand(command)}>
        Send all that match
      </button>
      {isAsking && (
        <Dialog title={`Send ${count(matching, 'event')} again?`} onClose={close}>
          <form onSubmit={(event) => event.preventDefault()}>
            <p>
              {search === '' ? 'Every event that was sent before' : `Every event that matches “${search}”`} is sent once
              more to {count(receivers.length, 'receiver')}, the oldest first.
            </p>
            <footer class="dialog-actions">
              <button type="button" class="button plain" onClick={close}>
                Close
              </button>
              <Action
                label={`Send ${count(matching, 'event')}`}
                kind="primary"
                type="submit"
                command={command}
                run={async () => {
                  try {
                    return await send()
                  } finally {
                    close()
                  }
                }}
              />
            </footer>
          </form>
        </Dialog>
      )}
    </>
  )
}

/** No one command sends by a search of words, so that the ids of what is listed are passed on. */
function commandOf({ events }: WebhookOverview): string {
  const [first, ...others] = events
  if (first === undefined) return 'sandbox resend EVENT'
  const rest = others.length === 0 ? '' : `  # and ${others.length} more`
  return command`sandbox resend ${first.eventId}` + rest
}
