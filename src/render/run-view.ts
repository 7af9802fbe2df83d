import { plainText, plainValue } from './plain-text.js'
import { paint, type Style } from './style.js'
import { cell, deliveryIdOf, type View } from './view.js'

/** The result of a row, with the fields that are shown. */
interface ResultRow {
  row: number
  line?: number | undefined
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

/** The results of a bulk run, one line per row. */
export const runView: View<ResultRow[]> = {
  id: deliveryIdOf,
  columns: [
    { name: 'line', align: 'right', omitEmpty: true },
    { name: 'row', align: 'right', narrow: false },
    { name: 'clientOrderReference', header: 'REFERENCE', elastic: true },
    { name: 'outcome', keep: true, cell: cell(outcomeWord) },
    { name: 'deliveryId', header: 'DELIVERY', omitEmpty: true },
    { name: 'status', omitEmpty: true },
    {
      name: 'error',
      elastic: true,
      narrowest: 20,
      keep: true,
      wraps: true,
      cell: cell<ResultRow>(({ error }) =>
        error === null ? '' : `${plainText(error.code)}: ${plainValue(error.message)}`,
      ),
    },
  ],
}
