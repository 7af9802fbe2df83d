import { Flags } from '@oclif/core'

/** Shows the request instead of sending it. */
export const dryRunFlag = {
  'dry-run': Flags.boolean({ char: 'n', summary: 'Print the exact request; send nothing' }),
}

/** Answers the question that a production profile asks. */
export const yesFlag = {
  yes: Flags.boolean({ char: 'y', summary: 'Do not ask on a production profile' }),
}
