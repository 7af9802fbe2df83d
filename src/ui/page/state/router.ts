import { computed, signal } from '@preact/signals'
import { clearMessages } from './messages.js'

/** The address of the page: a path below `/ui` and its query. The fragment holds the token and stays as it is. */
export interface Place {
  path: string
  query: URLSearchParams
}

const here = signal(read())
export const place = computed(() => here.value)

/** The address of a screen, with the token, so that it can be opened in another tab. */
export function addressOf(path: string, query?: Readonly<Record<string, string>>): string {
  if (query === undefined) return `/ui${path}${location.hash}`
  const text = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== '')).toString()
  return `/ui${path}${text === '' ? '' : `?${text}`}${location.hash}`
}

/** Opens an address; what was said on the screen before is cleared. */
export function go(path: string, query: Readonly<Record<string, string>> = {}): void {
  history.pushState(null, '', addressOf(path, query))
  clearMessages()
  here.value = read()
  window.scrollTo(0, 0)
}

/** Changes parts of the query without a new entry in the history: filters live in the address. */
export function setQuery(changes: Readonly<Record<string, string>>): void {
  const query = Object.fromEntries([...here.value.query, ...Object.entries(changes)])
  history.replaceState(null, '', addressOf(here.value.path, query))
  here.value = read()
}

/** Follows links and the back button; links to elsewhere are left to the browser. */
export function watchAddress(): void {
  window.addEventListener('popstate', () => {
    clearMessages()
    here.value = read()
  })
  document.addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey) return
    const link = event.target instanceof Element ? event.target.closest('a') : null
    if (link === null || link.target !== '' || link.hasAttribute('download')) return
    const { origin, pathname, search, hash } = new URL(link.href)
    // The fragment is the token's: a link within the page moves the focus, not the address.
    if (hash === '#main') {
      event.preventDefault()
      document.getElementById('main')?.focus()
      return
    }
    if (origin !== location.origin || !pathname.startsWith('/ui/')) return
    event.preventDefault()
    go(pathname.slice('/ui'.length), Object.fromEntries(new URLSearchParams(search)))
  })
}

function read(): Place {
  return { path: location.pathname.replace(/^\/ui\/?/, '/'), query: new URLSearchParams(location.search) }
}
