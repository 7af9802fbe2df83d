import type { GateRow, InstallationRow } from '../model.js'
import { isFederalHoliday } from './federal-holidays.js'
import { addDays, type LocalDate, localDateOf, localTimeToMs, weekdayOf } from './geo/zoned-time.js'
import { dayMs } from './timestamp.js'

/** A stretch of time that a gate is open, `toMs` exclusive. */
export interface OpenInterval {
  fromMs: number
  toMs: number
}

/** Hours repeat every week; a holiday may take a day out of it, so two weeks show every opening there is. */
const horizonMs = 15 * dayMs

/** The gates that let commercial vehicles in: the only ones that count for a delivery. */
export function commercialGates(installation: Pick<InstallationRow, 'gates'>): GateRow[] {
  return installation.gates.filter((gate) => gate.commercialVehiclesPermitted)
}

/** The gates that a delivery may use: the one that it names, or every one that admits commercial vehicles. */
export function gatesFor(installation: Pick<InstallationRow, 'gates'>, name: string | undefined): GateRow[] {
  return commercialGates(installation).filter((gate) => name === undefined || gate.name === name)
}

/** When the gate is open between two moments, in order, touching stretches joined. */
export function openIntervals(gate: GateRow, fromMs: number, toMs: number): OpenInterval[] {
  const found: OpenInterval[] = []
  const last = localDateOf(toMs, gate.timezone)
  // The night before may reach into the first day.
  for (let date = addDays(localDateOf(fromMs, gate.timezone), -1); !isAfter(date, last); date = addDays(date, 1)) {
    found.push(...intervalsOfDay(gate, date))
  }
  return joined(found).filter((interval) => interval.toMs > fromMs && interval.fromMs < toMs)
}

/** Until when a gate that is open at this moment stays open, as far as two weeks show; `undefined` if it is closed. */
export function openUntilMs(gate: GateRow, atMs: number): number | undefined {
  return openIntervals(gate, atMs, atMs + horizonMs).find((interval) => interval.fromMs <= atMs)?.toMs
}

/** The next moment from `atMs` on at which one of the gates opens; `undefined` if none ever does. */
export function nextOpeningMs(gates: readonly GateRow[], atMs: number): number | undefined {
  const openings = gates.flatMap((gate) =>
    openIntervals(gate, atMs, atMs + horizonMs).map((interval) => Math.max(interval.fromMs, atMs)),
  )
  return openings.length === 0 ? undefined : Math.min(...openings)
}

/** Whether one of the gates is open at some moment of a window. */
export function opensWithin(gates: readonly GateRow[], fromMs: number, toMs: number): boolean {
  return gates.some((gate) => openIntervals(gate, fromMs, toMs).length > 0)
}

/** Of the commercial gates open at a moment, the one that stays open longest; ties go to the one listed first. */
export function recommendedGate(installation: Pick<InstallationRow, 'gates'>, atMs: number): GateRow | undefined {
  let best: { gate: GateRow; untilMs: number } | undefined
  for (const gate of commercialGates(installation)) {
    const untilMs = openUntilMs(gate, atMs)
    if (untilMs !== undefined && untilMs > (best?.untilMs ?? atMs)) best = { gate, untilMs }
  }
  return best?.gate
}

function intervalsOfDay(gate: GateRow, date: LocalDate): OpenInterval[] {
  if (gate.closedOnFederalHolidays && isFederalHoliday(date)) return []
  const weekday = weekdayOf(date)
  return gate.schedule
    .filter((entry) => entry.days.includes(weekday))
    .map(({ open, close }) => {
      const closingDate = close <= open ? addDays(date, 1) : date
      return {
        fromMs: localTimeToMs(date, open, gate.timezone),
        toMs: localTimeToMs(closingDate, close, gate.timezone),
      }
    })
}

function joined(intervals: OpenInterval[]): OpenInterval[] {
  const result: OpenInterval[] = []
  for (const interval of intervals.sort((a, b) => a.fromMs - b.fromMs)) {
    const last = result.at(-1)
    if (last !== undefined && interval.fromMs <= last.toMs) last.toMs = Math.max(last.toMs, interval.toMs)
    else result.push({ ...interval })
  }
  return result
}

function isAfter(date: LocalDate, other: LocalDate): boolean {
  return Date.UTC(date.year, date.month - 1, date.day) > Date.UTC(other.year, other.month - 1, other.day)
}
