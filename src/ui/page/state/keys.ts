import { signal } from '@preact/signals'
import { sayResult, shownCommand } from './messages.js'
import { go } from './router.js'

/** A dialog that a key opens; each time it opens it is another one. */
export interface OpenDialog {
  name: 'keys' | 'palette'
}

export const openDialog = signal<OpenDialog | undefined>(undefined)

/** Closes one. A dialog says late that it was closed: another one, also of the same name, may be open by then. */
export function closeDialog(dialog: OpenDialog): void {
  if (openDialog.value === dialog) openDialog.value = undefined
}

function isShown(): boolean {
  return document.querySelector('dialog[open]') !== null
}

/** A key of the screen that is open, with what it does in words. */
interface ScreenKey {
  /** Empty for an action that only the palette has. */
  key: string
  words: string
  run(): void
}

/** Keys and actions of the screen that is open; it sets them when it opens and clears them when it closes. */
export const screenKeys = signal<readonly ScreenKey[]>([])

/** Adds keys while a component is shown; to be called in an effect. */
export function addKeys(keys: readonly ScreenKey[]): () => void {
  screenKeys.value = [...screenKeys.value, ...keys]
  return () => {
    screenKeys.value = screenKeys.value.filter((key) => !keys.includes(key))
  }
}

/** Listens for keys as long as the page is open. */
export function watchKeys(screens: readonly { key: string; path: string }[]): void {
  let afterG = 0
  const onKey = (event: KeyboardEvent) => {
    const isCommand = event.ctrlKey || event.metaKey
    if (isCommand && !event.shiftKey && event.key.toLowerCase() === 'k') {
      event.preventDefault()
      openDialog.value = openDialog.value?.name === 'palette' && isShown() ? undefined : { name: 'palette' }
      return
    }
    if (isCommand && event.shiftKey && event.key.toLowerCase() === 'c' && shownCommand.value !== '') {
      event.preventDefault()
      void copy(shownCommand.value, 'Copied the command.')
      return
    }
    if (isCommand || event.altKey || isTyping(event.target) || isShown()) return
    if (event.key === '?') openDialog.value = { name: 'keys' }
    else if (Date.now() - afterG < 1_500) {
      afterG = 0
      const screen = screens.find(({ key }) => key === event.key)
      if (screen !== undefined) go(screen.path)
    } else if (event.key === 'g') afterG = Date.now()
    else {
      const found = screenKeys.value.find(({ key }) => key === event.key)
      // A screen without a search of its own has that of the palette, which finds whatever the archive has.
      if (found === undefined && event.key !== '/') return
      event.preventDefault()
      if (found === undefined) openDialog.value = { name: 'palette' }
      else found.run()
    }
  }
  document.addEventListener('keydown', onKey)
}

function isTyping(target: EventTarget | null): boolean {
  // A field keeps the focus until the next frame if its dialog is closed.
  const isReached = target instanceof HTMLElement && target.closest('dialog:not([open])') === null
  return isReached && /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName)
}

export async function copy(text: string, said: string): Promise<void> {
  await navigator.clipboard.writeText(text)
  sayResult(said)
}
