import { plainText, plainValue } from './plain-text.js'
import { paint, type Style } from './style.js'
import { cell, idOf, type View } from './view.js'

/** One row's result, as far as it is drawn. */
interface ResultRow {
  row: number
  clientOrderReference: string | null
  outcome: string
  deliveryId: string | null
  status: string | null
  error: { code: string; message: string } | null
}

const good = new Set(['created', 'updated', 'cancelled', 'replayed', 'existing'])

function outcomeWord({ outcome }: ResultRow, style: Style): string {
  return paint(style, good.has(outcome) ? 'green' : 'red', plainText(outcome))
}

/** Results of a bulk run, a line a row. */
export const runView: View<ResultRow[]> = {
  id: idOf('deliveryId'),
  empty: 'Nothing needs a look.',
  columns: [
    { name: 'row', align: 'right' },
    { name: 'clientOrderReference', header: 'REFERENCE', elastic: true },
    { name: 'outcome', cell: cell(outcomeWord) },
    { name: 'deliveryId', header: 'DELIVERY', keep: true },
    { name: 'status' },
    {
      name: 'error',
      elastic: true,
      cell: cell<ResultRow>(({ error }) =>
        error === null ? '' : `${plainText(error.code)}: ${plainValue(error.message)}`,
      ),
    },
  ],
}
