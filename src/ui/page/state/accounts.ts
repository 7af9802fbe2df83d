import { computed, signal } from '@preact/signals'
import type { AccountAbout } from '../../wire/session.js'
import { Failed } from './api.js'
import { sayFailure } from './messages.js'
import { place } from './router.js'
import { session } from './session.js'

/** The accounts of the page if it shows several, by their profiles. */
export const accounts = computed<readonly AccountAbout[]>(() => session.value?.accounts ?? [])

export const areSeveral = computed(() => accounts.value.length > 0)

/** The account that lists were last limited to; screens of single objects do not change it. */
const limited = signal('')
place.subscribe(({ path, query }) => {
  if (!/^\/(?:deliveries|events)\/./.test(path)) limited.value = query.get('account') ?? ''
})

/** The account that lists are limited to; none if it is not shown here. */
export const chosenAccount = computed(() => {
  const known = accounts.value.some(({ profile }) => profile === limited.value)
  return known || accounts.value.length === 0 ? limited.value : ''
})

/** The accounts that a list shows: each of several, or the chosen one; the only one has no name. */
export const shownAccounts = computed<readonly (string | undefined)[]>(() => {
  if (!areSeveral.value) return [undefined]
  return chosenAccount.value === '' ? accounts.value.map(({ profile }) => profile) : [chosenAccount.value]
})

/** Whether a list that is limited by account shows something of this one; what is nobody's is in no account's list. */
export function isShown(account: string | undefined): boolean {
  return chosenAccount.value === '' || account === chosenAccount.value
}

/** A path of the server with the account that it is about. */
export function within(account: string | undefined, path: string): string {
  if (account === undefined) return path
  return `${path}${path.includes('?') ? '&' : '?'}${new URLSearchParams({ account })}`
}

/** Reads something of each account that is shown; one that fails or is slow holds back no other. */
export async function readEach(read: (account: string | undefined) => Promise<void>): Promise<void> {
  const all = shownAccounts.value.map(async (account) => {
    try {
      await read(account)
    } catch (error) {
      if (account === undefined) throw error
      sayFailure(error instanceof Failed ? ofAccount(error, account) : error, true)
    }
  })
  await Promise.all(all)
}

/** A failure with the name of the account that it is of. */
export function ofAccount({ status, failure }: Failed, account: string): Failed {
  if (failure.account !== undefined) return new Failed(status, failure)
  return new Failed(status, { ...failure, account, message: `${account}: ${failure.message}` })
}

/** Something as a key of the page: ids and references of one account may be those of another. */
export function keyOf(account: string | undefined, id: string): string {
  return account === undefined ? id : `${account} ${id}`
}
