import type { EventDetail } from '../../../wire/events.js'
import { Breakable } from '../breakable.js'
import { Panel } from '../pieces.js'

/** What the event says otherwise than the delivery's event before. */
export function Changes({ detail: { changes, previous } }: { detail: EventDetail }) {
  if (previous === null) return null
  return (
    <Panel title="What changed" actions={<span class="dim">since {previous.eventType}</span>}>
      {changes.length === 0 ? (
        <p class="panel-body dim">Nothing.</p>
      ) : (
        <dl class="changes">
          {changes.map(({ path, before, after }) => (
            <div key={path}>
              <dt>
                <Breakable text={path} />
              </dt>
              <dd>
                {before !== null && <del>{before}</del>}
                {after === null ? <span class="dim">removed</span> : <ins>{after}</ins>}
              </dd>
            </div>
          ))}
        </dl>
      )}
    </Panel>
  )
}
