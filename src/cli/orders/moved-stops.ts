import type { InputRow, Rows } from '../../bulk/index.js'
import type { Client } from '../../client/index.js'
import { ApiError, type Delivery, UsageError } from '../../contract/index.js'
import { plainText } from '../../render/plain-text.js'
import { valueAt } from '../../render/view.js'
import { installationLeft, movesWithoutInstallation } from '../../trade/updates.js'
import { withValue } from '../input/assignments.js'
import type { ListedInstallation } from '../installations/find-installation.js'
import { unnamedBases, unnamedInstallation } from '../installations/order-names.js'
import type { ServiceList } from '../installations/service-list.js'

const codePath = 'dropoff.installation.code'

/** The number of deliveries that are read at a time. */
const readsAtOnce = 16

/**
 * An update of the address for the delivery that it is about. On the same base, by a ZIP code or town that is its alone,
 * the update names the delivery's installation, which it keeps.
 *
 * @param listed the installations of the service, if they are known
 * @throws UsageError if the delivery is on an installation, and the new address may not be
 */
export function placedUpdate<Patch>(
  patch: Patch,
  delivery: Delivery,
  listed: readonly ListedInstallation[] | undefined,
): Patch {
  const code = installationLeft(patch, delivery)
  if (code === undefined) return patch
  const unnamed = unnamedInstallation(patch, listed)
  const bases = unnamedBases(patch)
  const codes = unnamed?.codes ?? []
  if (bases?.isShared === false && codes.includes(code))
    return withValue(patch as Record<string, unknown>, codePath, code) as Patch
  const onlyThere = codes.filter((one) => one !== code)
  const why =
    bases === undefined || onlyThere.length === 0
      ? 'and the new address may not be'
      : `and ${bases.by} holds ${onlyThere.map(plainText).join(' or ')}`
  const [other] = onlyThere
  const remedy = other === undefined ? (codes[0] ?? 'CODE') : other
  const hint =
    remedy === 'CODE'
      ? 'Add --no-installation, or --installation CODE for the one that the new address is on.'
      : `Add --installation ${plainText(remedy)} if the new address is on it, or --no-installation.`
  throw new UsageError(`dropoff.address (--to): the delivery is on the installation ${plainText(code)}, ${why}.`, {
    hint: `Nothing was sent. ${hint}`,
  })
}

/** Rows of updates; one that moves a delivery off its installation without saying so becomes a problem. */
export function movedRows(rows: Rows, client: Pick<Client, 'getDelivery'>, list: Pick<ServiceList, 'known'>): Rows {
  return {
    reading: rows.reading,
    async *[Symbol.asyncIterator](): AsyncGenerator<InputRow[]> {
      for await (const batch of rows)
        for (let at = 0; at < batch.length; at += readsAtOnce)
          yield await Promise.all(batch.slice(at, at + readsAtOnce).map((row) => checked(row, client, list)))
    },
  }
}

async function checked(
  row: InputRow,
  client: Pick<Client, 'getDelivery'>,
  list: Pick<ServiceList, 'known'>,
): Promise<InputRow> {
  if (!('value' in row) || !movesWithoutInstallation(row.value)) return row
  const deliveryId = valueAt(row.value, 'deliveryId')
  if (typeof deliveryId !== 'string') return row
  try {
    return { ...row, value: placedUpdate(row.value, await client.getDelivery({ deliveryId }), list.known) }
  } catch (error) {
    // The row's own request will say what is wrong with its id.
    if (error instanceof ApiError && [400, 404].includes(error.status)) return row
    if (!(error instanceof UsageError)) throw error
    return { row: row.row, line: row.line, problem: error.message, hint: error.hint }
  }
}
