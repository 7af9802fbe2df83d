import { signal } from '@preact/signals'
import { session } from './session.js'

/** The command that does what the control with the focus does; nothing if it does nothing. */
export const shownCommand = signal('')

/** A whole command for the words after `dlv`, such as `simulate del_1 --to delivered`. */
export function commandFor(words: string): string {
  return `${session.value?.command ?? 'dlv'} ${words}`
}
