import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { screenKeys } from '../state/keys.js'

interface DialogProps {
  title: string
  onClose(): void
  children: ComponentChildren
  size?: 'small' | 'wide'
}

/** A modal dialog with its title; Escape and a click beside it close it. */
export function Dialog({ title, onClose, children, size = 'small' }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  // Before the next frame, so that a key which follows at once reaches the dialog.
  useLayoutEffect(() => {
    const opener = document.activeElement
    element.current?.showModal()
    return () => {
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus()
    }
  }, [])
  return (
    <dialog
      ref={element}
      class={size}
      aria-labelledby={titleId}
      onClose={onClose}
      onPointerDown={(event) => {
        if (event.target === element.current) onClose()
      }}
    >
      <div class="dialog-body">
        <header>
          <h2 id={titleId}>{title}</h2>
          <button type="button" class="icon-button" aria-label="Close" onClick={onClose}>
            ✕
          </button>
        </header>
        {children}
      </div>
    </dialog>
  )
}

interface KeysDialogProps {
  screens: readonly { key: string; name: string }[]
  onClose(): void
}

export function KeysDialog({ screens, onClose }: KeysDialogProps) {
  const rows = [
    ['?', 'Show the keys'],
    ['Ctrl-K', 'Find a screen, an action or any order'],
    ['Ctrl-Shift-C', 'Copy the command of what has the focus'],
    ...screens.map(({ key, name }) => [`g ${key}`, `Open ${name}`]),
    ...screenKeys.value.filter(({ key }) => key !== '').map(({ key, words }) => [key, words]),
  ]
  return (
    <Dialog title="Keys" onClose={onClose}>
      <table class="keys">
        <tbody>
          {rows.map(([key, words]) => (
            <tr key={key}>
              <th scope="row">
                <kbd>{key}</kbd>
              </th>
              <td>{words}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Dialog>
  )
}
