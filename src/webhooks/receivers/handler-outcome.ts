/**
 * The outcome of an event at a receiver, as it tells the sender in the header `dlv-outcome`: `outdated` is older than what
 * the receiver has; `ignored` is of a type that it does not use.
 */
export const handlerOutcomes = ['processed', 'duplicate', 'outdated', 'ignored'] as const
/** What `onEvent` may answer with. */
export type HandlerOutcome = (typeof handlerOutcomes)[number]
