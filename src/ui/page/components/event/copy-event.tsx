import { useState } from 'preact/hooks'
import { type CopyFormat, copyFormats } from '../../../wire/events.js'
import { command } from '../../models/text.js'
import { get } from '../../state/api.js'
import { Action } from '../action.js'
import { Dialog } from '../dialog.js'

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
  const copyAs = async (format: CopyFormat) => {
    const { text } = await get<{ text: string }>(`/events/${encodeURIComponent(eventId)}/copy/${format}`)
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
