import type { Capabilities, Health } from '../contract/index.js'
import { card } from './card.js'
import { plainText, plainValue } from './plain-text.js'
import { paint } from './style.js'
import { clockText } from './times.js'
import { idOf, type View } from './view.js'

/** The health of the service. */
export const healthView: View<Health> = {
  id: idOf('status'),
  shows: ['getHealth'],
  columns: [{ name: 'status' }, { name: 'checkedAt' }],
  card: ({ status, checkedAt }, style) => {
    const checkedMs = Date.parse(checkedAt ?? '')
    const word = paint(style, status === 'healthy' ? 'green' : 'yellow', plainText(status))
    return Number.isNaN(checkedMs) ? word : `${word}, checked ${clockText(checkedMs, style)}`
  },
}

/** The capabilities of the account. */
export const capabilitiesView: View<Capabilities> = {
  id: idOf('accountType'),
  shows: ['getCapabilities'],
  columns: [{ name: 'accountType' }],
  card: ({ accountType, capabilities }, style) =>
    card(
      paint(style, 'bold', plainText(accountType)),
      Object.entries(capabilities).map(([name, value]) => [
        plainText(name),
        value === true ? paint(style, 'green', 'yes') : value === false ? paint(style, 'dim', 'no') : plainValue(value),
      ]),
      style,
    ),
}
