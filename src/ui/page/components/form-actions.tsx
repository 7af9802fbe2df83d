import type { Failure } from '../../wire/session.js'
import { Failed } from '../state/api.js'
import { Action, type ActionProps } from './action.js'

/** The end of a form in a dialog: why the last try was refused, Close, and the action, whose refusals the form shows. */
export function FormActions({
  refused,
  onRefused,
  onClose,
  ...action
}: Omit<ActionProps, 'onFailure' | 'kind'> & {
  refused: string | undefined
  onRefused(failure: Failure): void
  onClose(): void
}) {
  return (
    <footer class="dialog-actions">
      {refused !== undefined && (
        <p class="problem" role="alert">
          {refused}
        </p>
      )}
      <button type="button" class="button plain" onClick={onClose}>
        Close
      </button>
      <Action
        {...action}
        kind="primary"
        onFailure={(error) => {
          if (!(error instanceof Failed)) return false
          onRefused(error.failure)
          return true
        }}
      />
    </footer>
  )
}
