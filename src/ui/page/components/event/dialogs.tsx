import { useId, useState } from 'preact/hooks'
import { shellWord } from '../../../../shared/command-words.js'
import { type CopyFormat, copyFormats, type EventDetail, type SentResult } from '../../../wire/events.js'
import { prettyBody } from '../../models/event.js'
import { command } from '../../models/text.js'
import { useAccount } from '../account.js'
import { Action } from '../action.js'
import { Dialog } from '../dialog.js'
import { FormActions } from '../form-fields.js'

const names: Readonly<Record<CopyFormat, string>> = {
  curl: 'curl',
  har: 'HAR',
  http: 'raw HTTP',
  fixture: 'fixture',
  vitest: 'vitest case',
}

/** Buttons that copy an event in each of its formats; where nothing can be copied, the text is shown to be taken. */
export function CopyEvent({ eventId }: { eventId: string }) {
  const [shown, setShown] = useState<{ name: string; text: string } | undefined>(undefined)
  const account = useAccount()
  const copyAs = async (format: CopyFormat) => {
    const { text } = await account.get<{ text: string }>(`/events/${encodeURIComponent(eventId)}/copy/${format}`)
    try {
      await navigator.clipboard.writeText(text)
    } catch {
      // A browser can forbid it.
      setShown({ name: names[format], text })
      return undefined
    }
    return `Copied as ${names[format]}. It contains personal data.`
  }
  return (
    <div class="panel-body actions">
      {copyFormats.map((format) => (
        <Action
          key={format}
          label={`Copy as ${names[format]}`}
          command={command`webhooks log ${eventId} --as ${format}`}
          run={() => copyAs(format)}
          readsOnly
        >
          {names[format]}
        </Action>
      ))}
      {shown !== undefined && (
        <Dialog title={`Copy as ${shown.name}`} onClose={() => setShown(undefined)} size="wide">
          <textarea
            aria-label={shown.name}
            rows={16}
            readOnly
            value={shown.text}
            onFocus={(event) => event.currentTarget.select()}
          />
        </Dialog>
      )}
    </div>
  )
}

interface EditAndSendProps {
  detail: EventDetail
  onClose(): void
  onSent(eventId: string, message: string): void
}

/** Lets the event's body be edited, signs it again and sends it to any receiver. */
export function EditAndSend({ detail, onClose, onSent }: EditAndSendProps) {
  const id = useId()
  const account = useAccount()
  const [body, setBody] = useState(() => prettyBody(detail.body))
  const [target, setTarget] = useState(detail.targets[0] ?? '')
  const [refused, setRefused] = useState('')
  const send = async () => {
    // What nobody has edited is sent byte for byte.
    const text = body === prettyBody(detail.body) ? detail.body : body
    const sent = await account.post<SentResult>(`/events/${encodeURIComponent(detail.eventId)}/send`, {
      body: text,
      target,
    })
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
