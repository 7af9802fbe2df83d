import type { Session } from '../wire/session.js'
import { KeysDialog } from './components/dialog.js'
import { Palette } from './components/palette.js'
import { Moment } from './components/pieces.js'
import { screenAt, screens } from './screens/screens.js'
import { areSeveral, chosenAccount, keyOf } from './state/accounts.js'
import { closeDialog, openDialog } from './state/keys.js'
import { hasConnected, isConnected, isFailing, reading } from './state/live.js'
import { failure, result, shownCommand } from './state/messages.js'
import { addressOf, place } from './state/router.js'
import { session } from './state/session.js'

/** The page: navigation, the screen of the address, what was done, and the command for what has the focus. */
export function App() {
  const { path } = place.value
  return (
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <TopBar path={path} />
      <main id="main" tabIndex={-1}>
        <ScreenOf path={path} />
      </main>
      <Messages />
      <DialogOfKey />
    </>
  )
}

function DialogOfKey() {
  const dialog = openDialog.value
  if (dialog === undefined) return null
  const Shown = dialog.name === 'keys' ? KeysDialog : Palette
  return <Shown key={dialog} screens={screens} onClose={() => closeDialog(dialog)} />
}

/** Whether the page shows several accounts and does not know yet which: a screen would ask for nobody's data. */
function isUnknown(): boolean {
  return session.value === undefined && document.documentElement.dataset.accounts === 'several'
}

function ScreenOf({ path }: { path: string }) {
  if (isUnknown()) return null
  const found = screenAt(path)
  if (found === undefined)
    return (
      <div class="empty">
        <h1>Not found</h1>
        <p>
          No screen has this address. <a href={addressOf('/live')}>Live</a> shows what happens.
        </p>
      </div>
    )
  if (found.kind === 'screen') return <found.screen.component />
  return <found.component key={keyOf(place.value.query.get('account') ?? undefined, found.id)} id={found.id} />
}

/** The account, or the number of them. */
function namesOf({ profile, accounts }: Session): string {
  return accounts.length > 3 ? `${accounts.length} accounts` : profile
}

function TopBar({ path }: { path: string }) {
  const found = screenAt(path)
  const current = found?.kind === 'screen' ? found.screen.path : found?.within
  const about = session.value
  return (
    <header class="top">
      <span class="brand">dlv</span>
      <nav aria-label="Screens">
        {screens.map(({ path: to, name }) => (
          <a
            key={to}
            href={addressOf(to, { account: chosenAccount.value })}
            aria-current={to === current ? 'page' : undefined}
          >
            {name}
          </a>
        ))}
      </nav>
      <div class="about">
        {about?.readOnly === true && <span class="badge warn">read-only</span>}
        <span class="account" title={areSeveral.value ? about?.profile : about?.service}>
          {about !== undefined && (
            <>
              <span class="profile">{namesOf(about)}</span>
              {about.environment !== about.profile && <span class="environment"> · {about.environment}</span>}
            </>
          )}
        </span>
        <span class="service" title={about?.service}>
          {about?.service}
        </span>
        <Connection />
        <button
          type="button"
          class="icon-button"
          aria-label="Keys"
          onClick={() => (openDialog.value = { name: 'keys' })}
        >
          ?
        </button>
      </div>
    </header>
  )
}

/** Live only while the service itself is read. */
function Connection() {
  if (!isConnected.value) return <span class="connection off">offline</span>
  if (reading.value.failed !== undefined) return <span class="connection failed">unavailable</span>
  return (
    <span class={`connection ${reading.value.isRead ? 'on' : 'off'}`}>{reading.value.isRead ? 'live' : 'reading'}</span>
  )
}

/** Both regions are always there, so that a screen reader hears a change of their text. */
function Messages() {
  const away = isConnected.value ? reading.value.failed : undefined
  const failures = (isConnected.value && reading.value.failures) || []
  // That the service cannot be read is said once.
  const isSaid = away !== undefined || isFailing(failure.value?.account)
  const problem = isSaid && failure.value?.ofReading === true ? undefined : failure.value
  const command = shownCommand.value
  return (
    <footer class="bottom">
      {hasConnected.value && !isConnected.value && (
        <div class="message warn late">
          dlv does not answer here. What is shown is from before. Started again, it has another address: open the one
          that it prints.
        </div>
      )}
      {away === undefined && failures.length > 0 && (
        <div role="alert" class="message bad">
          Could not be read:{' '}
          {failures.map(({ account, since, message }) => (
            <span key={account}>
              <strong>{account}</strong> since <Moment at={since} />: {message}{' '}
            </span>
          ))}
          Nothing is missing of the other accounts.
        </div>
      )}
      {away !== undefined && (
        <div role="alert" class="message bad">
          The service could not be read since <Moment at={away.since} />: {away.message} What is shown is from before;
          it is tried again.
        </div>
      )}
      <div role="status" class={result.value === '' ? 'message none' : 'message good'}>
        {result.value}
      </div>
      <div role="alert" class={problem === undefined ? 'message none' : 'message bad'}>
        {problem !== undefined && (
          <>
            <strong>{problem.text}</strong> {problem.hint}
          </>
        )}
      </div>
      <CommandLine command={command} />
    </footer>
  )
}

function CommandLine({ command }: { command: string }) {
  if (command === '') return null
  return (
    <div class="command">
      <code>$ {command}</code>
      <span class="dim">Ctrl-Shift-C copies</span>
    </div>
  )
}
