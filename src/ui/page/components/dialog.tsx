import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'

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
  useEffect(() => {
    const dialog = element.current
    dialog?.showModal()
    return () => dialog?.close()
  }, [])
  return (
    <dialog
      ref={element}
      class={size}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
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
