import { signal } from '@preact/signals'
import type { Clock, Session } from '../../wire/session.js'
import { get } from './api.js'

export const session = signal<Session | undefined>(undefined)

type AccountName = string | undefined

/** The clock of each account's service as it was last told, with the moment here at which that was. */
const clocks = signal<ReadonlyMap<AccountName, { clock: Clock; hereMs: number }>>(new Map())

export async function loadSession(): Promise<void> {
  const loaded = await get<Session>('/session')
  session.value = loaded
  setClock(loaded.clock)
  for (const { profile, clock } of loaded.accounts) setClock({ ...clock, account: profile })
}

export function setClock({ account, ...clock }: Clock & { account?: AccountName }): void {
  clocks.value = new Map(clocks.value).set(account, { clock, hereMs: performance.now() })
}

/** The time of an account's service now, in milliseconds since the epoch. */
export function serviceNowMs(account?: AccountName): number {
  const told = clocks.value.get(account) ?? clocks.value.get(undefined)
  if (told === undefined) return Date.now()
  return Date.parse(told.clock.now) + (performance.now() - told.hereMs) * told.clock.scale
}

export function clockScale(account?: AccountName): number {
  return (clocks.value.get(account) ?? clocks.value.get(undefined))?.clock.scale ?? 1
}

/** The service's time, ten seconds at a time, for ages on the screen. */
export const now = signal(Date.now())

/** The same of each of several accounts: their services may have other clocks. */
const nows = signal<ReadonlyMap<AccountName, number>>(new Map())

export function nowOf(account: AccountName): number {
  return nows.value.get(account) ?? now.value
}

export function keepTime(): void {
  const tick = () => {
    now.value = serviceNowMs()
    nows.value = new Map([...clocks.value.keys()].map((account) => [account, serviceNowMs(account)]))
  }
  tick()
  setInterval(tick, 10_000)
  clocks.subscribe(tick)
}
