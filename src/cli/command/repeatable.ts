/** A flag that can be repeated, with one value each time. */
export const repeatable = { multiple: true, multipleNonGreedy: true } as const
