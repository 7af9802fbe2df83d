import type { SecretSummary, WebhookOverview } from '../../../wire/webhooks.js'
import { count, shellWord } from '../../models/text.js'
import { session } from '../../state/session.js'
import { Action } from '../action.js'
import { Panel } from '../pieces.js'

interface SecretsProps {
  all: WebhookOverview
  act(path: string, body: object): Promise<string>
}

/** The secrets in use, by their names. */
export function Secrets({ all: { secrets, canSend }, act }: SecretsProps) {
  return (
    <Panel
      title="Secrets"
      actions={
        canSend ? (
          <Action label="Rotate secret" command="sandbox rotate-secret" run={() => act('/webhooks/rotate', {})} />
        ) : undefined
      }
    >
      {secrets.length === 0 ? (
        <p class="panel-body dim">
          None is known, so nothing can be verified here. Store the one of your account:{' '}
          <code>{storing(session.value?.profile)}</code>
        </p>
      ) : (
        <ul class="rows">
          {secrets.map((secret) => (
            <li key={`${secret.name} ${secret.fingerprint}`}>
              <strong>{secret.name}</strong>
              <code title="As dlv profiles secrets list shows it">{secret.fingerprint}</code>
              <span class="dim">{useOf(secret)}</span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  )
}

function useOf({ isActive, verified }: SecretSummary): string {
  const parts = [
    isActive === null ? '' : isActive ? 'signs' : 'signs no more',
    verified === null ? '' : `${count(verified, 'event')} verified`,
  ]
  return parts.filter((part) => part !== '').join(' · ')
}

/** How a secret of the account is given; without a profile, by the variable. */
function storing(profile: string | undefined): string {
  return profile === undefined || profile === 'no profile'
    ? 'DLV_WEBHOOK_SECRET'
    : `dlv profiles secrets add ${shellWord(profile)} FILE`
}
