import { useState } from 'preact/hooks'
import type { ReceiverSummary } from '../../../wire/webhooks.js'
import { command, count, shellWord } from '../../models/text.js'
import { session } from '../../state/session.js'
import { Action } from '../action.js'
import { OutcomeBadge, Panel } from '../pieces.js'
import { TextField } from '../text-field.js'

interface ReceiversProps {
  receivers: readonly ReceiverSummary[]
  act(path: string, body: object): Promise<string>
}

/** The endpoints that the sandbox sends webhooks to. */
export function Receivers({ receivers, act }: ReceiversProps) {
  const [url, setUrl] = useState('')
  const hasControl = session.value?.hasControl === true
  const add = async () => {
    const said = await act('/webhooks/receivers', { url })
    setUrl('')
    return said
  }
  return (
    <Panel title="Receivers">
      {!hasControl && (
        <p class="panel-body dim">
          The contract has no endpoint for receivers: they are registered on the dashboard of the service.
        </p>
      )}
      {hasControl && receivers.length === 0 && <p class="panel-body dim">None: events are recorded and not sent.</p>}
      {receivers.length > 0 && (
        <ul class="rows">
          {receivers.map(({ id, url: address, kind, disabled, consecutiveFailures, isListener }) => (
            <li key={id}>
              <span class="mono break">{address}</span>
              <span class="actions">
                {isListener && <span class="badge active">this listener</span>}
                {kind !== 'all' && <span class="badge">{kind}</span>}
                <OutcomeBadge outcome={disabled ? 'bad' : consecutiveFailures > 0 ? 'waiting' : 'good'}>
                  {disabled ? 'disabled' : consecutiveFailures > 0 ? count(consecutiveFailures, 'failure') : 'enabled'}
                </OutcomeBadge>
                <Action
                  label={`Remove ${address}`}
                  command={command`sandbox endpoints remove ${id}`}
                  run={() => act(`/webhooks/receivers/${encodeURIComponent(id)}/remove`, {})}
                >
                  Remove
                </Action>
              </span>
            </li>
          ))}
        </ul>
      )}
      {hasControl && (
        <form class="panel-body inline" onSubmit={(event) => event.preventDefault()}>
          <TextField
            label="URL of a receiver"
            type="url"
            placeholder="http://localhost:3000/hooks"
            value={url}
            onInput={(event) => setUrl(event.currentTarget.value)}
          />
          <Action
            label="Add receiver"
            type="submit"
            command={`sandbox endpoints add ${url === '' ? 'URL' : shellWord(url)}`}
            run={add}
          />
        </form>
      )}
    </Panel>
  )
}
