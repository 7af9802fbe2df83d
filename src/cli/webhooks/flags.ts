import { Args, Flags, type Interfaces } from '@oclif/core'
import { repeatable } from '../command/write-flags.js'
import { allowWeakSecretFlag } from '../input/secrets.js'

/** `--secret-file`, repeatable; one secret per file. */
export function secretFilesFlag(summary: string) {
  return Flags.string({ summary, helpValue: 'FILE', ...repeatable })
}

/** `--to`, the receiver. */
export const receiverFlag = Flags.string({ summary: 'URL of the receiver', helpValue: 'URL', required: true })

/** Event ids, as arguments or on standard input. */
export const eventIdsArg = Args.string({
  description: 'Event ids, or - for ids from standard input',
  ignoreStdin: true,
  multiple: true,
})

/** How events are sent again: with new signatures or unchanged, and how fast. */
export const sendAgainFlags = {
  'secret-file': secretFilesFlag('Secret to sign with; repeatable'),
  ...allowWeakSecretFlag,
  verbatim: Flags.boolean({ summary: 'Send the original bytes and headers', exclusive: ['secret-file'] }),
  rate: Flags.integer({ summary: 'Events per second at most', min: 1 }),
}

/** Shows personal data, which is masked by default. */
export const unmaskFlag = {
  unmask: Flags.boolean({ summary: 'Show personal data unmasked' }),
}

export type SendAgainFlags = Interfaces.InferredFlags<typeof sendAgainFlags>
