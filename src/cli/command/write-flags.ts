import { Flags } from '@oclif/core'

/** Shows the request instead of sending it. */
export const dryRunFlag = {
  'dry-run': Flags.boolean({ char: 'n', summary: 'Print the request without sending it' }),
}

/** Answers the question that a production profile asks. */
export const yesFlag = {
  yes: Flags.boolean({ char: 'y', summary: 'Skip the confirmation on a production profile' }),
}
