import { useState } from 'preact/hooks'
import { shellWord } from '../../../../shared/command-words.js'
import type { Done } from '../../../wire/deliveries.js'
import type { CancellationCost, ListRow } from '../../../wire/list.js'
import { command, count, priceText } from '../../models/text.js'
import { within } from '../../state/accounts.js'
import { get, post } from '../../state/api.js'
import { accountNamed, OfAccount } from '../account.js'
import { AccountBadge } from '../account-fields.js'
import { Action } from '../action.js'
import { Dialog } from '../dialog.js'
import { useLoaded } from '../hooks.js'
import { Unread } from '../pieces.js'

/** The selected rows by their keys. */
export type Selection = ReadonlyMap<string, ListRow>

/** The selected deliveries of each account: what is done is done in each by itself. */
function byAccount(selected: Selection): [account: string | undefined, deliveryIds: string[]][] {
  const groups = new Map<string | undefined, string[]>()
  for (const { account, deliveryId } of selected.values())
    groups.set(account, [...(groups.get(account) ?? []), deliveryId])
  return [...groups]
}

const named = (account: string | undefined, text: string) => (account === undefined ? text : `${account}: ${text}`)

/** What can be done with the selected deliveries. */
export function Selected({ selected, clear }: { selected: Selection; clear(): void }) {
  const [isCancelling, setCancelling] = useState(false)
  if (selected.size === 0) return null
  const groups = byAccount(selected)
  const can = (is: (account: ReturnType<typeof accountNamed>) => boolean) =>
    groups.every(([name]) => is(accountNamed(name)))
  return (
    <>
      <strong>{selected.size.toLocaleString('en-US')} selected</strong>
      {can(({ isReadOnly }) => !isReadOnly) && (
        <button type="button" class="button danger" onClick={() => setCancelling(true)}>
          Cancel the selected
        </button>
      )}
      {can(({ about }) => about.hasControl === true) && (
        <OfAccount name={groups[0]?.[0]}>
          <Action
            label="Replay their webhooks"
            command={replayCommand(groups)}
            run={async () => {
              const said: string[] = []
              for (const [account, deliveryIds] of groups)
                said.push(named(account, (await post<Done>(within(account, '/list/replay'), { deliveryIds })).message))
              return said.join(' ')
            }}
          />
        </OfAccount>
      )}
      <button type="button" class="button plain" onClick={clear}>
        Select none
      </button>
      {isCancelling && (
        <CancelSelected
          groups={groups}
          onClose={() => setCancelling(false)}
          onDone={() => {
            setCancelling(false)
            clear()
          }}
        />
      )}
    </>
  )
}

type Groups = ReturnType<typeof byAccount>

/** Commands one after the other, each of its account; the first begins as that of its account does. */
function commandsOf(commands: readonly (readonly [account: string | undefined, words: string])[]): string {
  return commands.map(([account, words], at) => (at === 0 ? words : accountNamed(account).command(words))).join('; ')
}

/** A command for each delivery: it takes one. */
function replayCommand(groups: Groups): string {
  return commandsOf(
    groups.flatMap(([account, ids]) =>
      ids.map((id) => [account, command`events replay --delivery ${id} --to URL`] as const),
    ),
  )
}

interface CancelSelectedProps {
  groups: Groups
  onClose(): void
  onDone(): void
}

/** Says what cancelling them costs, for each account, before anything is sent. */
function CancelSelected({ groups, onClose, onDone }: CancelSelectedProps) {
  const paths = groups.map(([account, ids]) =>
    within(account, `/list/cancellation?${new URLSearchParams({ ids: ids.join(',') })}`),
  )
  const { value: costs } = useLoaded(
    () => Promise.all(paths.map((path) => get<CancellationCost>(path))),
    [paths.join()],
  )
  const ends = (costs ?? []).flatMap(
    ({ deliveryIds }, at): Groups => (deliveryIds.length === 0 ? [] : [[groups[at]?.[0], deliveryIds]]),
  )
  const selected = groups.reduce((sum, [, ids]) => sum + ids.length, 0)
  const underWay = ends.reduce((sum, [, ids]) => sum + ids.length, 0)
  return (
    <Dialog title={`Cancel ${count(selected, 'delivery')}?`} onClose={onClose}>
      <form onSubmit={(event) => event.preventDefault()}>
        {costs === undefined ? (
          <Unread what="the fees" />
        ) : (
          costs.map((cost, at) => (
            <p key={groups[at]?.[0] ?? ''} class="fee">
              <AccountBadge name={groups[at]?.[0]} /> {costText(cost, groups[at]?.[1].length ?? 0)}
            </p>
          ))
        )}
        <footer class="dialog-actions">
          <button type="button" class="button plain" onClick={onClose}>
            Keep them
          </button>
          <OfAccount name={ends[0]?.[0]}>
            <Action
              label={`Cancel ${count(underWay, 'delivery')}`}
              kind="danger"
              disabled={underWay === 0}
              command={commandsOf(
                ends.map(([account, ids]) => [
                  account,
                  `deliveries cancel ${ids.map((id) => shellWord(id)).join(' ')} --reason customer_cancelled`,
                ]),
              )}
              run={async () => {
                try {
                  return await cancelled(ends)
                } finally {
                  onDone()
                }
              }}
            />
          </OfAccount>
        </footer>
      </form>
    </Dialog>
  )
}

/** Cancels them account by account; what one refuses holds back no other. */
async function cancelled(groups: Groups): Promise<string> {
  const said: string[] = []
  let failure: unknown
  for (const [account, deliveryIds] of groups)
    try {
      said.push(named(account, (await post<Done>(within(account, '/list/cancel'), { deliveryIds })).message))
    } catch (error) {
      failure ??= error
      said.push(named(account, error instanceof Error ? error.message : String(error)))
    }
  if (failure !== undefined) throw groups.length === 1 ? failure : new Error(said.join(' '))
  return said.join(' ')
}

function costText(cost: CancellationCost, selected: number): string {
  const ids = cost.deliveryIds
  const rest = cost.withoutFee > 0 ? ` and those of ${cost.withoutFee}, which the service says afterwards` : ''
  const ended = selected > ids.length ? ` ${count(selected - ids.length, 'delivery')} ended already.` : ''
  return `${count(ids.length, 'delivery')} under way, fees now: ${priceText(cost.feeCents, cost.currency)}${rest}.${ended}`
}
