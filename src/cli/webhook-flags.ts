import { Flags } from '@oclif/core'
import { repeatable } from './repeatable.js'

/** `--secret-file`, as often as there are secrets; one secret a file. */
export function secretFilesFlag(summary: string) {
  return Flags.string({ summary, helpValue: 'FILE', ...repeatable })
}

/** `--to`, the receiver. */
export const receiverFlag = Flags.string({ summary: 'Address of the receiver', helpValue: 'URL', required: true })

/** Names, phones, addresses and links of people are masked unless this says otherwise. */
export const unmaskFlag = {
  unmask: Flags.boolean({ summary: 'Show names, phones, addresses and links as they came' }),
}
