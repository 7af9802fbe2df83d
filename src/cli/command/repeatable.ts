/** A flag that may be given again and again, one value each time. */
export const repeatable = { multiple: true, multipleNonGreedy: true } as const
