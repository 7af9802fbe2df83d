/** The facts sent with an order from this machine, which a service may not return. */
import type { Delivery } from '../contract/index.js'
import { checksOf, packageText, type SentFacts } from '../trade/sent-orders.js'
import { windowText } from './order-window.js'
import { plainText } from './plain-text.js'
import type { Style } from './style.js'
import { verificationLines } from './verification.js'
import { type Column, valueAt } from './view.js'

/** The columns of a list. */
export const sentColumns: readonly Column[] = [
  {
    name: 'sent.window.end',
    header: 'WINDOW',
    cell: (row, style) => windowText(valueAt(row, 'sent.window.start'), valueAt(row, 'sent.window.end'), style),
  },
  {
    name: 'sent.package',
    header: 'PACKAGE',
    elastic: true,
    cell: (row) => plainText(packageText((valueAt(row, 'sent.package') ?? null) as SentFacts['package'])),
  },
]

/** The lines of a card: what the delivery itself does not say. */
export function sentLines({ dropoff, resolvedVerification }: Delivery, sent: SentFacts, style: Style): string[] {
  const { file, window, installation } = sent
  const hasChecks = Object.keys(resolvedVerification?.dropoff ?? {}).length > 0
  return [
    window === null ? '' : `window: ${windowText(window.start, window.end, style)}`,
    installation === null || dropoff?.installation?.code != null ? '' : `installation: ${plainText(installation)}`,
    sent.package === null ? '' : `package: ${plainText(packageText(sent.package))}`,
    ...(hasChecks ? [] : verificationLines({ dropoff: checksOf(sent) }, style)),
    file === null ? '' : `file: ${plainText(file)}`,
  ].filter((line) => line !== '')
}
