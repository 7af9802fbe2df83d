import type { Gate } from '../contract/index.js'
import { gateStateOf } from '../trade/gate-hours.js'
import { paint, type Style } from './style.js'
import { spanText } from './times.js'

/** `open now, closes in 2h` or `opens in 3h 20m`; empty if the gate's hours cannot be read. */
export function gateStateText(gate: Gate, nowMs: number): string {
  const state = gateStateOf(gate, nowMs)
  if (state === undefined) return ''
  const { isOpen, untilMs } = state
  if (untilMs === undefined) return isOpen ? 'always open' : 'closed'
  return `${isOpen ? 'open now, closes' : 'opens'} in ${spanText(untilMs - nowMs)}`
}

/** The state of a gate in its colour. */
export function gateState(gate: Gate, style: Style): string {
  const text = gateStateText(gate, style.nowMs)
  return text === '' ? '' : paint(style, gateStateOf(gate, style.nowMs)?.isOpen ? 'green' : 'yellow', text)
}
