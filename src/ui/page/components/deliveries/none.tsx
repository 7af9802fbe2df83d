import { commandFor } from '../../state/messages.js'
import { session } from '../../state/session.js'
import { Empty } from '../pieces.js'

/** Says that there are no deliveries, and how to get some. */
export function NoDeliveries({ title }: { title: string }) {
  const about = session.value
  return (
    <Empty title={title}>
      {about?.readOnly === false && (
        <p>
          Create one with <em>New order</em>
          {about.hasControl ? (
            <>
              , or fill the sandbox with two weeks of them: <code>{commandFor('sandbox seed --over 14d')}</code>
            </>
          ) : (
            '.'
          )}
        </p>
      )}
    </Empty>
  )
}
