import { UsageError } from '../../contract/index.js'
import type { NamedSecret } from '../../webhooks/index.js'

/** A secret that webhooks are verified with. */
export interface ListenerSecret extends NamedSecret {
  /**
   * The account that it belongs to, and so do the events that it verifies. They are kept, shown, forwarded and signed again
   * apart from those of other accounts. Default: the listener's.
   */
  account?: string
}

/** The account of a secret, and of the events that it verifies; empty if none is named. */
export function accountOf(secret: ListenerSecret | undefined, ofListener: string | undefined): string {
  return secret?.account ?? ofListener ?? ''
}

/**
 * The accounts that a listener serves.
 *
 * @throws UsageError if two of them have the same secret: nobody could say whose an event is
 */
export function accountsServed(secrets: readonly ListenerSecret[], ofListener: string | undefined): string[] {
  const owners = new Map<string, ListenerSecret>()
  for (const one of secrets) {
    const other = owners.get(one.secret)
    if (other !== undefined && accountOf(other, ofListener) !== accountOf(one, ofListener))
      throw new UsageError(
        `the secret "${one.name}" of account ${accountOf(one, ofListener)} is also "${other.name}" of account ${accountOf(other, ofListener)}`,
        { hint: 'Give each account a secret of its own: nobody could say whose an event is.' },
      )
    owners.set(one.secret, one)
  }
  return [
    ...new Set([
      ...(ofListener === undefined ? [] : [ofListener]),
      ...secrets.map((one) => accountOf(one, ofListener)),
    ]),
  ]
}
