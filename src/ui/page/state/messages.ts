import { signal } from '@preact/signals'
import { Failed } from './api.js'

/** The result of the last action, in words, and its failure. */
export const result = signal('')
export const failure = signal<
  { text: string; hint: string; ofReading: boolean; account?: string | undefined } | undefined
>(undefined)

export function sayResult(text: string): void {
  failure.value = undefined
  result.value = text
}

export function sayFailure(error: unknown, ofReading = false): void {
  result.value = ''
  if (error instanceof Failed) {
    const { message, hint, requestId, account } = error.failure
    const more = [hint, requestId === undefined ? undefined : `Request ${requestId}.`]
    failure.value = { text: message, hint: more.filter((part) => part !== undefined).join(' '), ofReading, account }
  } else failure.value = { text: error instanceof Error ? error.message : String(error), hint: '', ofReading }
}

/** Takes back that something could not be read, once it was. */
export function clearReadingFailure(): void {
  if (failure.value?.ofReading === true) failure.value = undefined
}

export function clearMessages(): void {
  result.value = ''
  failure.value = undefined
}

/** The command that does what the control with the focus does; nothing if it does nothing. */
export const shownCommand = signal('')
