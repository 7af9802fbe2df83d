import { Flags } from '@oclif/core'
import type { QuoteChoice } from '../../../client/index.js'
import { UsageError } from '../../../contract/index.js'

const helpGroup = 'order'

/** Flags that order by a quote. */
export const priceFlags = {
  cheapest: Flags.boolean({ summary: 'Take quotes first and order the cheapest', helpGroup, exclusive: ['quote'] }),
  'max-price': Flags.string({
    summary: 'Cheapest quote up to this price, such as 9.75',
    description: 'In the unit of the currency and without the tip. Nothing is dispatched if every quote costs more.',
    helpGroup,
    helpValue: 'AMOUNT',
    exclusive: ['quote'],
  }),
}

/** What to choose the quote by; `undefined` without these flags. Throws `UsageError` for what is no amount. */
export function quoteChoiceOf(flags: { cheapest: boolean; 'max-price'?: string | undefined }): QuoteChoice | undefined {
  const amount = flags['max-price']
  if (amount === undefined) return flags.cheapest ? {} : undefined
  const [, whole, part = ''] = /^\$?(\d{1,9})(?:\.(\d{1,2}))?$/.exec(amount.trim()) ?? []
  if (whole === undefined)
    throw new UsageError(`--max-price expects an amount such as 9.75, got "${amount.slice(0, 80)}".`)
  return { maxPriceCents: Number(whole) * 100 + Number(part.padEnd(2, '0')) }
}
