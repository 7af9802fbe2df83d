import { shellWord } from '../../../../shared/command-words.js'
import type { GapList, GapSummary, SecretSummary, WebhookOverview } from '../../../wire/webhooks.js'
import { count } from '../../models/text.js'
import { areSeveral, chosenAccount, keyOf, shownAccounts } from '../../state/accounts.js'
import { accountNamed, OfAccount, useAccount } from '../account.js'
import { AccountBadge } from '../account-fields.js'
import { Action } from '../action.js'
import { type Act, actThen, useLoaded, useReloads } from '../hooks.js'
import { EventLink, Moment, OutcomeBadge, Panel } from '../pieces.js'

interface SecretsProps {
  all: WebhookOverview
  act: Act
}

/** The secrets in use, by their names. */
export function Secrets({ all: { secrets, canSend }, act }: SecretsProps) {
  return (
    <Panel
      title="Secrets"
      actions={
        canSend && (!areSeveral.value || chosenAccount.value !== '') ? (
          <OfAccount name={chosenAccount.value || undefined}>
            <Action label="Rotate secret" command="sandbox rotate-secret" run={() => act('/webhooks/rotate', {})} />
          </OfAccount>
        ) : undefined
      }
    >
      {secrets.length === 0 ? (
        <p class="panel-body dim">
          None is known, so nothing can be verified here. Store the one of your account:{' '}
          <code>{storing(accountNamed(shownAccounts.value[0]).about.profile)}</code>
        </p>
      ) : (
        <ul class="rows">
          {secrets.map((secret) => (
            <li key={keyOf(secret.account, `${secret.name} ${secret.fingerprint}`)}>
              <AccountBadge name={secret.account} />
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

/** The command or variable that adds a secret to the account. */
function storing(profile: string | undefined): string {
  return profile === undefined || profile === 'no profile'
    ? 'DLV_WEBHOOK_SECRET'
    : `dlv profiles secrets add ${shellWord(profile)} FILE`
}

/** The gaps of an account's journal, if it has one. */
export function AccountGaps({ reload, ...props }: { canFetch: boolean; isAlone: boolean; reload(): Promise<void> }) {
  const account = useAccount()
  if (account.about.hasJournal !== true) return null
  return <Gaps {...props} act={actThen(account.post, reload)} />
}

/** The events of the last day that the service has and the journal lacks. */
function Gaps({ canFetch, act, isAlone }: { canFetch: boolean; act: Act; isAlone: boolean }) {
  const account = useAccount()
  const { value: found, reload } = useLoaded(() => account.get<GapList>('/webhooks/gaps'), [account.name])
  useReloads(reload, (item) => item.account === account.name && (item.kind === 'event' || item.kind === 'webhook'))
  const fetchMissing = async () => {
    const said = await act('/webhooks/fetch', {})
    await reload()
    return said
  }
  // Of several, those that lack nothing need no panel.
  if (!isAlone && (found === undefined || found.gaps.length === 0)) return null
  if (found === undefined)
    return (
      <Panel title="Gaps">
        <p class="panel-body dim">Comparing the journal with the events of the service…</p>
      </Panel>
    )
  const { gaps, isCut } = found
  return (
    <Panel
      title="Gaps"
      actions={
        canFetch && gaps.length > 0 ? (
          <Action label="Fetch what is missing" command="webhooks listen --since 24h" run={fetchMissing} />
        ) : (
          <span class="dim">last 24 hours</span>
        )
      }
    >
      {!isAlone && (
        <p class="panel-body">
          <AccountBadge name={account.name} />
        </p>
      )}
      {gaps.length === 0 ? (
        <p class="panel-body dim">The journal has every event of the last 24 hours.</p>
      ) : (
        <>
          <p class="panel-body">
            <OutcomeBadge outcome="warn">
              {count(gaps.length, 'event')}
              {isCut ? ' or more' : ''}
            </OutcomeBadge>{' '}
            of the last 24 hours are not in the journal: no listener ran then, or they were lost on the way.
          </p>
          <ul class="rows">
            {byType(gaps).map(({ type, first, count: number }) => (
              <li key={type}>
                <EventLink eventId={first.eventId} type={type} />
                <span class="dim">
                  {number === 1 ? '' : `${number} ×, first `}
                  <Moment at={first.occurredAt} />
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
    </Panel>
  )
}

/** The missing events of each type, the most frequent types first. */
function byType(gaps: readonly GapSummary[]): { type: string; first: GapSummary; count: number }[] {
  const types = new Map<string, { type: string; first: GapSummary; count: number }>()
  for (const gap of gaps) {
    const type = gap.eventType ?? 'no type'
    const known = types.get(type)
    if (known === undefined) types.set(type, { type, first: gap, count: 1 })
    else known.count++
  }
  return [...types.values()].sort((one, other) => other.count - one.count)
}
