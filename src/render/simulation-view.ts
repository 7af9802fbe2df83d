import type { SimulateResponse } from '../contract/index.js'
import { isActive } from '../trade/statuses.js'
import { plainText } from './plain-text.js'
import { statusMark, statusWord } from './status-word.js'
import { paint } from './style.js'
import { pad, textWidth, wrap } from './text-width.js'
import { cell, deliveryIdOf, idOf, type View } from './view.js'

/** The result of a simulation: the new status and the emitted events. */
export const simulationView: View<SimulateResponse> = {
  id: deliveryIdOf,
  shows: ['simulateDelivery'],
  columns: [{ name: 'deliveryId' }, { name: 'status' }, { name: 'emittedEvents' }],
  card: ({ deliveryId, status, emittedEvents }, style) =>
    [
      `${paint(style, 'bold', plainText(deliveryId))}  ${statusWord(status, style)}`,
      ...emittedEvents.map((event) => `  ${statusMark(event.replace('delivery.', ''), style)} ${plainText(event)}`),
    ].join('\n'),
}

/** The statuses that can be simulated next from a status, with their possible reasons. */
export function movesFrom(status: string): View<{ status: string; reasons: string[] }[]> {
  const empty = isActive(status)
    ? `What follows ${plainText(status)} is not known to this version; --to STATUS asks the service.`
    : 'No next status: the delivery has ended.'
  return { ...movesView, empty }
}

const movesView: View<{ status: string; reasons: string[] }[]> = {
  id: idOf('status'),
  columns: [
    {
      name: 'status',
      header: 'NEXT',
      cell: cell<{ status: string }>(({ status }, style) => statusWord(status, style)),
    },
    {
      name: 'reasons',
      header: 'REASONS',
      elastic: true,
      cell: cell<{ reasons: string[] }>(({ reasons }) => reasons.join(', ')),
    },
  ],
  card: (moves, style) => {
    const width = Math.max(...moves.map(({ status }) => textWidth(statusWord(status, style))))
    return moves
      .map(({ status, reasons }) => {
        const word = statusWord(status, style)
        if (reasons.length === 0) return word
        if (style.accessible) return `${word}: ${reasons.join(', ')}`
        const lines = wrap(reasons.join(', '), Math.max(20, style.columns - width - 2))
        return lines.map((line, index) => `${pad(index === 0 ? word : '', width)}  ${line}`).join('\n')
      })
      .join('\n')
  },
}
