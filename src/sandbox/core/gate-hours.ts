import { openUntilMs } from '../../trade/gate-hours.js'
import type { GateRow, InstallationRow } from '../model.js'

/** The gates that let commercial vehicles in: the only ones that count for a delivery. */
export function commercialGates(installation: Pick<InstallationRow, 'gates'>): GateRow[] {
  return installation.gates.filter((gate) => gate.commercialVehiclesPermitted)
}

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
