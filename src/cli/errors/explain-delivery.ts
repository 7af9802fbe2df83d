import type { Delivery } from '../../contract/index.js'
import { type Explanation, explain } from '../explanations/index.js'
import { isOfSandbox, nextAbout } from './next-command.js'

/** The meaning of a delivery's status and reason, with commands about it. */
export function explainDelivery({
  deliveryId,
  status,
  statusReasonCode,
  clientOrderReference,
  dropoff,
}: Delivery): Explanation[] {
  const codes = [status, statusReasonCode].filter((code) => code != null)
  const own = codes.flatMap((code) => explain(code).filter(({ kind }) => kind === 'status' || kind === 'reason'))
  const code = dropoff?.installation?.code
  const subject = {
    id: deliveryId,
    ...(clientOrderReference == null ? {} : { clientOrderReference }),
    ...(code == null ? {} : { code }),
  }
  return own.map((found) => ({ ...found, next: nextAbout(found, subject) }))
}

/** The commands of an explanation that an account can run. */
export function usableCommands(next: readonly string[], isProduction: boolean): string[] {
  return next.filter((command) => !(isProduction && isOfSandbox(command)))
}
