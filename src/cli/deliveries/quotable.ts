import { fieldFlags, type OrderFlags } from './order-flags.js'

/** The fields of an order that a quote request does not have. */
const strangers = ['quoteId', 'dispatch', 'handling', 'tipAmountCents', 'metadata']

const rootOf = (path: string): string => path.split('.')[0] ?? path

/** The flags of an order that do not apply to a quote. */
export const flagsOutsideQuotes: readonly string[] = Object.entries(fieldFlags).flatMap(([flag, path]) =>
  strangers.includes(rootOf(path)) ? [`--${flag}`] : [],
)

/**
 * The parts of an order that a quote has, so that the same file and flags serve both, and the names of the omitted
 * parts.
 */
export function quotePartOf(
  order: Readonly<Record<string, unknown>>,
  flags: Partial<OrderFlags>,
): { quote: Record<string, unknown>; leftOut: string[] } {
  const quote = Object.fromEntries(Object.entries(order).filter(([name]) => !strangers.includes(name)))
  const byFlag = Object.entries(fieldFlags).filter(([flag]) => flags[flag as keyof OrderFlags] !== undefined)
  const leftOut = strangers
    .filter((name) => order[name] !== undefined)
    .flatMap((name) => {
      const given = byFlag.flatMap(([flag, path]) => (rootOf(path) === name ? [`--${flag}`] : []))
      return given.length === 0 ? [name] : given
    })
  return { quote, leftOut }
}
