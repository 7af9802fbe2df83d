import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { sayFailure, sayResult } from '../state/messages.js'
import { useAccount } from './account.js'

export interface ActionProps {
  /** The accessible name, and the text unless there are children. */
  label: string
  /** The words of the command after `dlv` that does the same. */
  command: string
  /** Does it; what it returns is said as the result. */
  run(): Promise<string | undefined>
  kind?: 'primary' | 'danger' | 'plain'
  /** It only reads, so that it works on a read-only page, too. */
  readsOnly?: boolean
  disabled?: boolean
  /** Shows an error of `run` elsewhere: `true` if it did. */
  onFailure?(error: unknown): boolean
  children?: ComponentChildren
  type?: 'button' | 'submit'
}

/** A button that does something, and shows the command for it while it has the focus. Absent on a read-only page. */
export function Action({ label, command, run, kind = 'plain', readsOnly = false, ...rest }: ActionProps) {
  const [isBusy, setBusy] = useState(false)
  const account = useAccount()
  if (account.about.readOnly === true && !readsOnly) return null
  const work = async () => {
    setBusy(true)
    try {
      const text = await run()
      if (text !== undefined) sayResult(text)
    } catch (error) {
      if (rest.onFailure?.(error) !== true) sayFailure(error)
    } finally {
      setBusy(false)
    }
  }
  const isOff = isBusy || rest.disabled === true
  return (
    <button
      type={rest.type ?? 'button'}
      class={`button ${kind}`}
      aria-disabled={isOff}
      aria-label={rest.children === undefined ? undefined : label}
      onClick={(event) => {
        event.preventDefault()
        if (!isOff) void work()
      }}
      {...account.shows(command)}
    >
      {rest.children ?? label}
    </button>
  )
}
