import { useId, useState } from 'preact/hooks'
import type { EventDetail, SentResult } from '../../../wire/events.js'
import { prettyBody } from '../../models/event.js'
import { shellWord } from '../../models/text.js'
import { post } from '../../state/api.js'
import { Dialog } from '../dialog.js'
import { FormActions } from '../form-actions.js'

interface EditAndSendProps {
  detail: EventDetail
  onClose(): void
  onSent(eventId: string, message: string): void
}

/** Lets the event's body be edited, signs it again and sends it to any receiver. */
export function EditAndSend({ detail, onClose, onSent }: EditAndSendProps) {
  const id = useId()
  const [body, setBody] = useState(() => prettyBody(detail.body))
  const [target, setTarget] = useState(detail.targets[0] ?? '')
  const [refused, setRefused] = useState('')
  const send = async () => {
    // What nobody has edited is sent byte for byte.
    const text = body === prettyBody(detail.body) ? detail.body : body
    const sent = await post<SentResult>(`/events/${encodeURIComponent(detail.eventId)}/send`, { body: text, target })
    onSent(sent.isKnown ? sent.eventId : detail.eventId, sent.message)
    return undefined
  }
  return (
    <Dialog title="Edit and send" onClose={onClose} size="wide">
      <div class="field">
        <label for={`${id}-target`}>Target</label>
        <input
          id={`${id}-target`}
          type="url"
          list={`${id}-targets`}
          placeholder="http://localhost:3000/hooks"
          value={target}
          onInput={(event) => setTarget(event.currentTarget.value)}
        />
        <datalist id={`${id}-targets`}>
          {detail.targets.map((url) => (
            <option key={url} value={url} />
          ))}
        </datalist>
      </div>
      <div class="field">
        <label for={`${id}-body`}>Body</label>
        <textarea
          id={`${id}-body`}
          rows={22}
          spellcheck={false}
          value={body}
          onInput={(event) => setBody(event.currentTarget.value)}
        />
        <span class="dim">
          It is signed when it is sent. Another eventId makes another event.
          {detail.isMasked ? ' Names and phones that stay masked are sent as they are in the original.' : ''}
        </span>
      </div>
      <FormActions
        label="Send"
        command={`webhooks send --file body.json --to ${target === '' ? 'URL' : shellWord(target)}`}
        run={send}
        refused={refused === '' ? undefined : refused}
        onRefused={({ message, hint }) => setRefused([message, hint ?? ''].join(' ').trim())}
        onClose={onClose}
      />
    </Dialog>
  )
}
