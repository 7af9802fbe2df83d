import { useState } from 'preact/hooks'
import type { EventDetail } from '../../../wire/events.js'
import { prettyBody } from '../../models/event.js'
import { Panel } from '../pieces.js'

/** The body, pretty or byte for byte. */
export function Body({ detail: { body, bodyBytes, isMasked } }: { detail: EventDetail }) {
  const [isRaw, setRaw] = useState(false)
  const choice = (name: string, raw: boolean) => (
    <button type="button" class="tab" aria-pressed={isRaw === raw} onClick={() => setRaw(raw)}>
      {name}
    </button>
  )
  return (
    <Panel
      title="Body"
      actions={
        <span class="tabs">
          <span class="dim">
            {bodyBytes.toLocaleString('en-US')} bytes{isMasked ? ', names and phones masked' : ''}
          </span>
          {choice('Pretty', false)}
          {choice('Raw', true)}
        </span>
      }
    >
      <pre class="body">{isRaw ? body : prettyBody(body)}</pre>
    </Panel>
  )
}

export function Headers({ detail: { headers, receivedAt } }: { detail: EventDetail }) {
  return (
    <Panel
      title="Headers"
      actions={<span class="dim">{receivedAt === null ? 'as they would be signed now' : 'as received'}</span>}
    >
      <dl class="facts headers">
        {headers.map(([name, value], index) => (
          <div key={`${name} ${index}`}>
            <dt>{name}</dt>
            <dd class="mono">{value}</dd>
          </div>
        ))}
      </dl>
    </Panel>
  )
}
