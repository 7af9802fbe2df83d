import type { AccountAbout } from '../../wire/session.js'
import { accounts, areSeveral, chosenAccount } from '../state/accounts.js'
import { ChoiceField } from './fields.js'

/** The name of an account, where several are shown. */
export function AccountBadge({ name }: { name: string | undefined }) {
  if (!areSeveral.value || name === undefined) return null
  return (
    <>
      <span class="badge" title={`Account ${name}`}>
        {name}
      </span>{' '}
    </>
  )
}

/** The filter by account, kept in the address; absent if only one is shown. */
export function AccountField({
  among = accounts.value,
  isOne = false,
}: {
  among?: readonly AccountAbout[]
  isOne?: boolean
}) {
  if (!areSeveral.value) return null
  const choices = among.map(({ profile }) => [profile, profile] as const)
  const first = isOne ? [] : [['', 'all'] as const]
  const chosen = isOne ? oneAccount(among) : chosenAccount.value
  return <ChoiceField label="Account" name="account" value={chosen ?? ''} choices={[...first, ...choices]} />
}

/** The account of a screen that shows one: the chosen one, or the first. */
export function oneAccount(among: readonly AccountAbout[] = accounts.value): string | undefined {
  const chosen = among.find(({ profile }) => profile === chosenAccount.value)
  return (chosen ?? among[0])?.profile
}

/** Asks to choose an account for what is done in one. */
export function ChooseAccount({ to }: { to: string }) {
  return <p class="panel-body dim">Choose an account above to {to}.</p>
}
