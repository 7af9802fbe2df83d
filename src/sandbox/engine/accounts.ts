import { randomBytes } from 'node:crypto'
import { limits, marketplaceCapabilities } from '../../contract/index.js'
import { fleetCapabilities, accounts as ownAccounts, revokedKey } from '../core/accounts.js'
import { Refusal } from '../core/refusal.js'
import type { HttpExchange } from '../http/exchange.js'
import type { Account } from '../model.js'
import type { Store } from '../store/store.js'

/** An account that was added to those that every sandbox has, as it is kept. */
interface AddedAccount {
  name: string
  apiKey: string
  accountType: Account['accountType']
  maxRequestsPerSecond: number
}

const mostAdded = 1_000

interface KnownAccounts {
  all: readonly Account[]
  byKey: ReadonlyMap<string, Account>
  byId: ReadonlyMap<string, Account>
}

const own = known([])
/** Every request asks. */
const knownBySetting = new WeakMap<object, KnownAccounts>()

function known(added: readonly AddedAccount[]): KnownAccounts {
  const all = [...ownAccounts, ...added.map(accountOf)]
  return {
    all,
    byKey: new Map(all.map((one) => [one.apiKey, one])),
    byId: new Map(all.map((one) => [one.accountId, one])),
  }
}

function accountOf({ name, ...rest }: AddedAccount): Account {
  const capabilities = rest.accountType === 'owned_fleet' ? fleetCapabilities : marketplaceCapabilities
  return { accountId: `acc_${name}`, livemode: false, capabilities, ...rest }
}

function knownIn(store: Store): KnownAccounts {
  const added = addedIn(store)
  if (added === undefined) return own
  const found = knownBySetting.get(added) ?? known(added)
  knownBySetting.set(added, found)
  return found
}

function addedIn(store: Store): readonly AddedAccount[] | undefined {
  return store.settings.get<readonly AddedAccount[]>('accounts')
}

/** The accounts of a sandbox: those that every sandbox has, then those that were added. The first is the default. */
export function accountsOf(store: Store): readonly Account[] {
  return knownIn(store).all
}

/** The account whose key a request has. */
export function accountAuthorized(store: Store, exchange: Pick<HttpExchange, 'header'>): Account | undefined {
  const key = /^Bearer +(\S+) *$/i.exec(exchange.header('authorization') ?? '')?.[1]
  return key === undefined ? undefined : accountByKey(store, key)
}

/** The account that a bearer key belongs to. */
function accountByKey(store: Store, apiKey: string): Account | undefined {
  return knownIn(store).byKey.get(apiKey)
}

export function accountById(store: Store, accountId: string): Account | undefined {
  return knownIn(store).byId.get(accountId)
}

/** The account with this key, id or short name, such as `dlvk_sbx_ownedfleet`, `acc_ownedfleet` or `ownedfleet`. */
export function accountNamed(store: Store, name: string): Account | undefined {
  const { byKey, byId } = knownIn(store)
  return byKey.get(name) ?? byId.get(name) ?? byId.get(`acc_${name}`)
}

/** Whether it was added, and can be removed. */
export function isAdded(store: Store, { accountId }: Pick<Account, 'accountId'>): boolean {
  return addedIn(store)?.some(({ name }) => `acc_${name}` === accountId) === true
}

/** Adds an account within the running `write`. Throws a refusal for a name that is taken. */
export function addAccount(
  store: Store,
  account: Pick<AddedAccount, 'name' | 'accountType'> & { maxRequestsPerSecond?: number | undefined },
): Account {
  const { name, accountType, maxRequestsPerSecond = limits.defaultRequestsPerSecond } = account
  const added = addedIn(store) ?? []
  // The key of the account of this name that is gone must not open the new one.
  const apiKey = `dlvk_sbx_${name}_${randomBytes(6).toString('hex')}`
  if (accountNamed(store, name) !== undefined || `dlvk_sbx_${name}` === revokedKey)
    throw new Refusal('VALIDATION_ERROR', `The sandbox has an account "${name}" already.`, { details: { name } })
  if (added.length >= mostAdded)
    throw new Refusal('VALIDATION_ERROR', `The sandbox has ${mostAdded} added accounts, and takes no more.`)
  const one = { name, apiKey, accountType, maxRequestsPerSecond }
  store.settings.set('accounts', [...added, one])
  return accountOf(one)
}

/** Removes an added account and everything of it within the running `write`; `false` if there is none. */
export function removeAccount(store: Store, name: string): boolean {
  const added = addedIn(store) ?? []
  if (!added.some((one) => one.name === name)) return false
  const accountId = `acc_${name}`
  store.removeAccount(accountId)
  const { [accountId]: _, ...secrets } = store.settings.get<Record<string, string[]>>('secrets') ?? {}
  store.settings.set('secrets', secrets)
  store.settings.set(
    'accounts',
    added.filter((one) => one.name !== name),
  )
  return true
}
