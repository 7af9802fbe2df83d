import { signal } from '@preact/signals'
import type { Clock, Session } from '../../wire/session.js'
import { get } from './api.js'

export const session = signal<Session | undefined>(undefined)

/** The service's clock as it was last told, with the moment here at which that was. */
const clock = signal<{ clock: Clock; hereMs: number } | undefined>(undefined)

export async function loadSession(): Promise<void> {
  const loaded = await get<Session>('/session')
  session.value = loaded
  setClock(loaded.clock)
}

export function setClock(told: Clock): void {
  clock.value = { clock: told, hereMs: performance.now() }
}

/** The service's time now, in milliseconds since the epoch. */
export function serviceNowMs(): number {
  const told = clock.value
  if (told === undefined) return Date.now()
  return Date.parse(told.clock.now) + (performance.now() - told.hereMs) * told.clock.scale
}

export function clockScale(): number {
  return clock.value?.clock.scale ?? 1
}

/** The service's time, ten seconds at a time, for ages on the screen. */
export const now = signal(Date.now())

export function keepTime(): void {
  const tick = () => {
    now.value = serviceNowMs()
  }
  tick()
  setInterval(tick, 10_000)
  clock.subscribe(tick)
}
