import { nextOpeningMs, opensWithin, openUntilMs } from '../../trade/gate-hours.js'
import { commercialGates } from '../../trade/installation-policy.js'
import type { GateRow, InstallationRow } from '../model.js'

/** The gates that a delivery may use: the one that it names, or every one that admits commercial vehicles. */
export function gatesFor(installation: Pick<InstallationRow, 'gates'>, name: string | undefined): GateRow[] {
  return commercialGates(installation).filter((gate) => name === undefined || gate.name === name)
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

/** Why a gate that was asked for by name cannot be used at a moment. */
interface GateRefusal {
  reasonCode: 'unknown_gate' | 'gate_not_commercial' | 'gate_closed'
  /** In words that follow the name of the field. */
  reason: string
  /** When it opens next, for a gate that is closed. */
  opensMs?: number | undefined
}

/** `undefined` if the gate can be used. */
export function gateRefusal(installation: InstallationRow, name: string, atMs: number): GateRefusal | undefined {
  const { code, gates } = installation
  const offered = commercialGates(installation).map((gate) => `"${gate.name}"`)
  const others = `commercial vehicles use ${offered.length === 0 ? 'none' : offered.join(', ')}`
  if (!gates.some((gate) => gate.name === name))
    return { reasonCode: 'unknown_gate', reason: `is not a gate of ${code}: "${name}"; ${others}` }
  const usable = gatesFor(installation, name)
  if (usable.length === 0)
    return { reasonCode: 'gate_not_commercial', reason: `does not admit commercial vehicles: "${name}"; ${others}` }
  if (opensWithin(usable, atMs, atMs + 1)) return undefined
  return { reasonCode: 'gate_closed', reason: `is closed: "${name}"`, opensMs: nextOpeningMs(usable, atMs) }
}
