import { plainText } from './plain-text.js'
import { paint } from './style.js'
import { whenText } from './times.js'
import { cell, idOf, type View } from './view.js'

/** A target as `webhooks targets list` shows it. */
interface TargetShown {
  url: string
  eventTypes: string[] | null
  namedAt: string | null
  active: boolean | null
  pending: number
  oldestSeconds: number | null
  givenUp: number
}

/** The forward targets of a journal. */
export const targetList: View<TargetShown[]> = {
  id: idOf('url'),
  timed: true,
  empty: 'No targets. Name one: dlv webhooks listen --forward-to URL',
  columns: [
    { name: 'url', keep: true },
    {
      name: 'eventTypes',
      header: 'EVENTS',
      elastic: true,
      cell: cell<TargetShown>(({ eventTypes }) => plainText(eventTypes?.join(', ') ?? '')),
    },
    {
      name: 'active',
      cell: cell<TargetShown>(({ active }, style) => {
        if (active === null) return ''
        return active ? paint(style, 'green', 'yes') : paint(style, 'yellow', 'no')
      }),
    },
    {
      name: 'namedAt',
      header: 'NAMED',
      cell: cell<TargetShown>(({ namedAt }, style) => whenText(namedAt ?? undefined, style)),
    },
    { name: 'pending', header: 'WAITING', align: 'right' },
    { name: 'oldestSeconds', header: 'OLDEST S', align: 'right' },
    { name: 'givenUp', header: 'GIVEN UP', align: 'right' },
  ],
}
