import { nextOpeningMs, opensWithin } from '../../trade/gate-hours.js'
import type { InstallationRow } from '../model.js'
import { commercialGates, gatesFor } from './gate-hours.js'

/** Why a gate that was asked for by name cannot be used at a moment. */
export interface GateRefusal {
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
