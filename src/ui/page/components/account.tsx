import { type ComponentChildren, createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { AccountAbout } from '../../wire/session.js'
import { accounts, ofAccount, within } from '../state/accounts.js'
import { Failed, get, post } from '../state/api.js'
import { shownCommand } from '../state/messages.js'
import { addressOf, go } from '../state/router.js'
import { nowOf, session } from '../state/session.js'

const Owner = createContext<string | undefined>(undefined)

/** Everything inside belongs to this account, if the page shows several: what is read, linked and done there. */
export function OfAccount({ name, children }: { name: string | undefined; children: ComponentChildren }) {
  return <Owner.Provider value={name}>{children}</Owner.Provider>
}

/** The account that a part of the page belongs to. */
export function useAccount() {
  return accountNamed(useContext(Owner))
}

/** An account, or the page's only one, or what several have in common. */
export function accountNamed(name: string | undefined) {
  const about: Partial<Omit<AccountAbout, 'environment'>> =
    accounts.value.find(({ profile }) => profile === name) ?? session.value ?? {}
  const command = (words: string) => `${about.command ?? 'dlv'} ${words}`
  const named = (error: unknown): never => {
    throw name !== undefined && error instanceof Failed ? ofAccount(error, name) : error
  }
  const query = (more: Readonly<Record<string, string>> = {}) =>
    name === undefined ? more : { ...more, account: name }
  return {
    name,
    about,
    /** Until it is known, nothing can be changed. */
    isReadOnly: about.readOnly !== false,
    now: () => nowOf(name),
    get: <Value,>(path: string) => get<Value>(within(name, path)).catch(named),
    post: <Value,>(path: string, body: object) => post<Value>(within(name, path), body),
    path: (path: string) => within(name, path),
    /** The address of something of the account. */
    addressOf: (path: string, more?: Readonly<Record<string, string>>) => addressOf(path, query(more)),
    go: (path: string) => go(path, query()),
    /** A whole command for the words after `dlv`, such as `simulate del_1 --to delivered`. */
    command,
    /** Makes a control show the command for it while it has the focus. */
    shows: (words: string) => ({
      onFocus: () => {
        shownCommand.value = command(words)
      },
      onBlur: () => {
        shownCommand.value = ''
      },
    }),
  }
}
