import { Flags } from '@oclif/core'
import type { QuoteChoice } from '../../../client/index.js'
import { UsageError } from '../../../contract/index.js'

const helpGroup = 'order'

/** The highest tip of an order or an update, for orders that are meant to have more than usual. */
export const maxTipFlag = {
  'max-tip': Flags.string({
    summary: 'Highest tip that is accepted (default 100)',
    description: 'A tip above it is refused before anything is sent: --tip-cents 50000 is $500.00.',
    helpGroup,
    helpValue: 'AMOUNT',
  }),
}

/** Flags about what an order may cost. */
export const priceFlags = {
  cheapest: Flags.boolean({ summary: 'Take quotes first and order the cheapest', helpGroup, exclusive: ['quote'] }),
  'max-price': Flags.string({
    summary: 'Cheapest quote up to this price, such as 9.75',
    description: 'In the unit of the currency and without the tip. Nothing is dispatched if every quote costs more.',
    helpGroup,
    helpValue: 'AMOUNT',
    exclusive: ['quote'],
  }),
  'max-total': Flags.string({
    summary: 'Refuse if quotes and tips exceed this amount',
    description:
      'Takes a quote for every order before the first one is sent, one request each. Nothing is dispatched if best quotes and tips together cost more, or if an order has no quote.',
    helpGroup,
    helpValue: 'AMOUNT',
    exclusive: ['quote'],
  }),
  ...maxTipFlag,
}

/** The limits for choosing a quote; `undefined` without these flags. Throws `UsageError` for what is not an amount. */
export function quoteChoiceOf(flags: { cheapest: boolean; 'max-price'?: string | undefined }): QuoteChoice | undefined {
  const maxPriceCents = centsOf(flags['max-price'], '--max-price')
  if (maxPriceCents === undefined) return flags.cheapest ? {} : undefined
  return { maxPriceCents }
}

/** An amount as cents: `9.75`, `$2,104.50`. Throws `UsageError` for what is not an amount. */
export function centsOf(amount: string | undefined, flag: string): number | undefined {
  if (amount === undefined) return undefined
  const [, whole, part = ''] = /^\$?(\d{1,9}|\d{1,3}(?:,\d{3}){1,2})(?:\.(\d{1,2}))?$/.exec(amount.trim()) ?? []
  if (whole === undefined) throw new UsageError(`${flag} expects an amount such as 9.75, got "${amount.slice(0, 80)}".`)
  return Number(whole.replaceAll(',', '')) * 100 + Number(part.padEnd(2, '0'))
}
