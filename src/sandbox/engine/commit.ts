import type { Decision } from '../model.js'
import type { Engine } from './engine.js'
import { recordEvents } from './record-events.js'

/** Writes everything of a decision, within the transaction that it was made in. */
export function commitDecision(engine: Engine, decision: Decision, nowMs: number): void {
  const { store } = engine
  for (const delivery of decision.deliveries ?? []) store.deliveries.save(delivery)
  for (const quote of decision.quotes ?? []) store.quotes.save(quote)
  for (const installation of decision.installations ?? []) store.fixtures.saveInstallation(installation)
  for (const driver of decision.drivers ?? []) store.fixtures.saveDriver(driver)
  for (const driverId of decision.removedDriverIds ?? []) store.fixtures.removeDriver(driverId)
  if (decision.capacity !== undefined) store.settings.set('capacity', decision.capacity)
  recordEvents(engine, decision.events ?? [], nowMs)
}

/** Whether a decision asks for anything to be written. */
export function isReadOnly(decision: Decision): boolean {
  const { deliveries, quotes, installations, drivers, removedDriverIds, events, capacity } = decision
  const lists = [deliveries, quotes, installations, drivers, removedDriverIds, events]
  return capacity === undefined && lists.every((list) => list === undefined || list.length === 0)
}
