import { render } from 'preact'
import { App } from './app.js'
import { screens } from './screens/screens.js'
import { hasToken, readToken } from './state/api.js'
import { watchKeys } from './state/keys.js'
import { followServer } from './state/live.js'
import { sayFailure } from './state/messages.js'
import { go, watchAddress } from './state/router.js'
import { keepTime, loadSession } from './state/session.js'

const page = document.getElementById('page')
if (page === null) throw new Error('The document has no place for the page.')

function NoToken() {
  return (
    <>
      <header class="top">
        <span class="brand">dlv</span>
      </header>
      <main>
        <div class="empty">
          <h1>This address has no token</h1>
          <p>
            Open the URL that <code>dlv ui</code> printed: it ends in <code>#token=…</code>
          </p>
        </div>
      </main>
    </>
  )
}

function start(root: HTMLElement): void {
  if (location.pathname === '/ui/' || location.pathname === '/ui') go('/live')
  watchAddress()
  watchKeys(screens)
  keepTime()
  render(<App />, root)
  // Both are asked for at once, and the page is there before they are answered.
  loadSession().catch(sayFailure)
  followServer().catch(sayFailure)
}

if (hasToken()) start(page)
else {
  render(<NoToken />, page)
  window.addEventListener('hashchange', () => {
    readToken()
    if (hasToken()) start(page)
  })
}
