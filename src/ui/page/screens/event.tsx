import { useEffect, useLayoutEffect, useState } from 'preact/hooks'
import type { Done } from '../../wire/deliveries.js'
import type { EventDetail } from '../../wire/events.js'
import { accountNamed, OfAccount } from '../components/account.js'
import { AccountBadge } from '../components/account-fields.js'
import { Action } from '../components/action.js'
import { CopyEvent, EditAndSend } from '../components/event/dialogs.js'
import { Body, Changes, EventFacts, Headers, Way } from '../components/event/panels.js'
import { useLoaded } from '../components/hooks.js'
import { Breakable, Empty, Heading, HeadingToCome, NamesButton, OutcomeBadge, Panel } from '../components/pieces.js'
import { verdictOutcome } from '../models/event.js'
import { command } from '../models/text.js'
import { addKeys } from '../state/keys.js'
import { onNews } from '../state/live.js'
import { sayFailure, sayResult } from '../state/messages.js'
import { addressOf, place } from '../state/router.js'

export function EventScreen({ id }: { id: string }) {
  const account = accountNamed(place.value.query.get('account') ?? undefined)
  const [isUnmasked, setUnmasked] = useState(false)
  const [isEditing, setEditing] = useState(false)
  const {
    value: detail,
    isMissing,
    reload,
  } = useLoaded(
    () => account.get<EventDetail>(`/events/${encodeURIComponent(id)}${isUnmasked ? '?unmask=1' : ''}`),
    [id, account.name, isUnmasked],
  )
  // Of an address without it, the answer says whose event it is.
  const owner = detail?.account === account.name ? account : accountNamed(detail?.account)
  useEffect(() => onNews((news) => news.some(({ eventId }) => eventId === id) && void reload()), [id, reload])
  const sendAgain = async () => {
    try {
      return (await owner.post<Done>(`/events/${encodeURIComponent(id)}/resend`, {})).message
    } finally {
      await reload()
    }
  }
  useLayoutEffect(
    () =>
      detail !== undefined && !owner.isReadOnly
        ? addKeys([
            ...(detail.canSendAgain
              ? [{ key: 's', words: 'Send again', run: () => void sendAgain().then(sayResult, sayFailure) }]
              : []),
            { key: 'e', words: 'Edit and send', run: () => setEditing(true) },
          ])
        : undefined,
    [detail?.canSendAgain, owner.isReadOnly, owner.name],
  )
  if (isMissing)
    return (
      <>
        <Heading title={id} />
        <Empty title="This event is not known here.">
          <p>
            Neither the journal nor the service has it. <a href={addressOf('/live')}>Live</a> has the newest.
          </p>
        </Empty>
      </>
    )
  if (detail === undefined) return <HeadingToCome what="the event" />
  const sent = (eventId: string, message: string) => {
    setEditing(false)
    if (eventId !== id) owner.go(`/events/${encodeURIComponent(eventId)}`)
    // A new address clears what was said before.
    setTimeout(() => sayResult(message))
    void reload()
  }
  return (
    <OfAccount name={detail.account}>
      <Heading title={detail.eventType} shown={<Breakable text={detail.eventType} />}>
        <AccountBadge name={detail.account} />
        <OutcomeBadge outcome={verdictOutcome(detail.verdict)}>
          {detail.verdict.state.replace('unknown', 'not received here')}
        </OutcomeBadge>
        <span class="push actions">
          {detail.eventType === 'installation.access_policy_changed' && (
            <a
              class="button plain"
              href={owner.addressOf('/installations', { view: 'changes', q: id })}
              {...owner.shows(command`deliveries list --affected ${id}`)}
            >
              What it touches
            </a>
          )}
          {detail.canSendAgain && (
            <Action label="Send again" kind="primary" command={command`sandbox resend ${id}`} run={sendAgain} />
          )}
          <Action
            label="Edit and send"
            command={`webhooks send --file - --to URL < body.json`}
            run={async () => {
              setEditing(true)
              return undefined
            }}
          />
          <NamesButton isUnmasked={isUnmasked} setUnmasked={setUnmasked} />
        </span>
      </Heading>
      <div class="split">
        <div class="stack">
          <EventFacts detail={detail} />
          <Changes detail={detail} />
          <Way detail={detail} />
          <Headers detail={detail} />
        </div>
        <div class="stack">
          <Panel title="Copy as" actions={<span class="dim">the exact bytes, unmasked</span>}>
            <CopyEvent eventId={id} />
          </Panel>
          <Body detail={detail} />
        </div>
      </div>
      {isEditing && <EditAndSend detail={detail} onClose={() => setEditing(false)} onSent={sent} />}
    </OfAccount>
  )
}
