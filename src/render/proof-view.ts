import type { ProofOfDelivery } from '../contract/index.js'
import { whenText } from './times.js'
import { cell, idOf, type View } from './view.js'

/** What proves a delivery. */
export const proofList: View<ProofOfDelivery[]> = {
  id: idOf('url'),
  empty: 'No proof yet: it comes with the delivery.',
  columns: [
    { name: 'type' },
    { name: 'stage' },
    {
      name: 'capturedAt',
      header: 'WHEN',
      cell: cell<ProofOfDelivery>(({ capturedAt }, style) => whenText(capturedAt, style)),
    },
    { name: 'url' },
  ],
}
