import type { SimulateResponse } from '../contract/index.js'
import { plainText } from './plain-text.js'
import { statusMark, statusWord } from './status-word.js'
import { paint } from './style.js'
import { cell, idOf, type View } from './view.js'

/** What a simulation did: the new status and the events that led there. */
export const simulationView: View<SimulateResponse> = {
  id: idOf('deliveryId'),
  columns: [{ name: 'deliveryId' }, { name: 'status' }, { name: 'emittedEvents' }],
  card: ({ deliveryId, status, emittedEvents }, style) =>
    [
      `${paint(style, 'bold', plainText(deliveryId))}  ${statusWord(status, style)}`,
      ...emittedEvents.map((event) => `  ${statusMark(event.replace('delivery.', ''), style)} ${plainText(event)}`),
    ].join('\n'),
}

/** What can be simulated next, with the reasons that may be given. */
export const movesView: View<{ status: string; reasons: string[] }[]> = {
  id: idOf('status'),
  empty: 'Nothing follows: the delivery is over.',
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
}
