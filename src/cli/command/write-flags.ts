import { Flags } from '@oclif/core'

/** Prints the request instead of sending it. */
export const dryRunFlag = {
  'dry-run': Flags.boolean({ char: 'n', summary: 'Print the request without sending it' }),
}

/** Confirms what a production profile asks for. */
export const yesFlag = {
  yes: Flags.boolean({ char: 'y', summary: 'Skip the confirmation on a production profile' }),
}

/** A flag that can be repeated, with one value each time. */
export const repeatable = { multiple: true, multipleNonGreedy: true } as const
