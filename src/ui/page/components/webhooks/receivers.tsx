import { useEffect, useRef, useState } from 'preact/hooks'
import { shellWord } from '../../../../shared/command-words.js'
import type { CaseSummary, ReceiverSummary, ReceiverTest } from '../../../wire/webhooks.js'
import { command, count } from '../../models/text.js'
import { keyOf, shownAccounts } from '../../state/accounts.js'
import { sayFailure, sayResult } from '../../state/messages.js'
import { session } from '../../state/session.js'
import { accountNamed, OfAccount, useAccount } from '../account.js'
import { AccountBadge, ChooseAccount } from '../account-fields.js'
import { Action } from '../action.js'
import { LineForm } from '../fields.js'
import { actThen } from '../hooks.js'
import { OutcomeBadge, Panel } from '../pieces.js'

interface ReceiversProps {
  receivers: readonly ReceiverSummary[]
  reload(): Promise<void>
}

/** The endpoints that the sandbox sends webhooks to. */
export function Receivers({ receivers, reload }: ReceiversProps) {
  const [only, ...others] = shownAccounts.value
  const hasControl = accountNamed(others.length === 0 ? only : undefined).about.hasControl === true
  return (
    <Panel title="Receivers">
      {!hasControl && (
        <p class="panel-body dim">
          The contract has no endpoint for receivers: they are registered on the dashboard of the service.
        </p>
      )}
      {hasControl && receivers.length === 0 && <p class="panel-body dim">None: events are recorded and not sent.</p>}
      {receivers.length > 0 && (
        <ul class="rows">
          {receivers.map((receiver) => (
            <OfAccount key={keyOf(receiver.account, receiver.id)} name={receiver.account}>
              <Receiver receiver={receiver} reload={reload} />
            </OfAccount>
          ))}
        </ul>
      )}
      {hasControl &&
        (others.length > 0 ? (
          <ChooseAccount to="add a receiver" />
        ) : (
          <OfAccount name={only}>
            <AddReceiver reload={reload} />
          </OfAccount>
        ))}
    </Panel>
  )
}

function Receiver({ receiver, reload }: { receiver: ReceiverSummary } & Pick<ReceiversProps, 'reload'>) {
  const { id, url: address, kind, disabled, consecutiveFailures } = receiver
  const account = useAccount()
  return (
    <li>
      <span class="mono">{address}</span>
      <span class="actions">
        <AccountBadge name={account.name} />
        {address === session.value?.listenerUrl && <span class="badge active">this listener</span>}
        {kind !== 'all' && <span class="badge">{kind}</span>}
        <OutcomeBadge outcome={disabled ? 'bad' : consecutiveFailures > 0 ? 'warn' : 'good'}>
          {disabled ? 'disabled' : consecutiveFailures > 0 ? count(consecutiveFailures, 'failure') : 'enabled'}
        </OutcomeBadge>
        <Action
          label={`Remove ${address}`}
          command={command`sandbox endpoints remove ${id}`}
          run={() => actThen(account.post, reload)(`/webhooks/receivers/${encodeURIComponent(id)}/remove`, {})}
        >
          Remove
        </Action>
      </span>
    </li>
  )
}

function AddReceiver({ reload }: Pick<ReceiversProps, 'reload'>) {
  const [url, setUrl] = useState('')
  const account = useAccount()
  const add = async () => {
    const said = await actThen(account.post, reload)('/webhooks/receivers', { url })
    setUrl('')
    return said
  }
  return (
    <div class="panel-body">
      <LineForm
        label="URL of a receiver"
        inputMode="url"
        placeholder="http://localhost:3000/hooks"
        value={url}
        onType={setUrl}
        action={{
          label: 'Add receiver',
          command: `sandbox endpoints add ${url === '' ? 'URL' : shellWord(url)}`,
          run: add,
        }}
      />
    </div>
  )
}

const readEveryMs = 250

/** The examination of a receiver: every situation of the contract is played, and its cases appear as they end. */
export function ReceiverTestPanel({ receivers }: { receivers: readonly ReceiverSummary[] }) {
  const account = useAccount()
  const [typed, setTyped] = useState<string | undefined>(undefined)
  const [test, setTest] = useState<ReceiverTest | undefined>(undefined)
  const timer = useRef<number | undefined>(undefined)
  const url = typed ?? receivers.find((one) => one.url !== session.value?.listenerUrl)?.url ?? receivers[0]?.url ?? ''
  useEffect(() => () => clearTimeout(timer.current), [])
  const follow = async (testId: string) => {
    try {
      const state = await account.get<ReceiverTest>(`/webhooks/tests/${testId}`)
      setTest(state)
      if (!state.isOver) timer.current = window.setTimeout(() => void follow(testId), readEveryMs)
      else if (state.failure !== null) sayFailure(new Error(state.failure))
      else if (state.passed === true) sayResult(`${state.url} keeps the rules of the contract, as far as can be seen.`)
      else sayFailure(new Error(`${state.url} breaks ${count(state.brokenRules.length, 'rule')} of the contract.`))
    } catch (error) {
      sayFailure(error)
    }
  }
  const start = async () => {
    clearTimeout(timer.current)
    const started = await account.post<ReceiverTest>('/webhooks/tests', { url })
    setTest(started)
    void follow(started.testId)
    return undefined
  }
  return (
    <Panel
      title="Test a receiver"
      actions={test === undefined ? undefined : <span class="dim">{progressText(test)}</span>}
    >
      <div class="panel-body">
        <LineForm
          label="Receiver to test"
          inputMode="url"
          placeholder="http://localhost:3000/hooks"
          value={url}
          onType={setTyped}
          action={{
            label: 'Run the test',
            command: `webhooks test --to ${url === '' ? 'URL' : shellWord(url)}`,
            run: start,
            disabled: test !== undefined && !test.isOver,
          }}
        />
      </div>
      {test !== undefined && (
        <>
          {test.brokenRules.map(({ title, advice }) => (
            <div key={title} class="verdict rejected">
              <p>{title}</p>
              <p class="dim">{advice}</p>
            </div>
          ))}
          <ul class="rows cases">
            {test.cases.map((one) => (
              <Case key={one.id} one={one} />
            ))}
          </ul>
        </>
      )}
    </Panel>
  )
}

function progressText({ cases, isOver, passed }: ReceiverTest): string {
  if (!isOver) return `${count(cases.length, 'case')} so far`
  const failed = cases.filter(({ status }) => status === 'failed').length
  return passed === true
    ? `${count(cases.length, 'case')}, none failed`
    : `${failed} of ${count(cases.length, 'case')} failed`
}

function Case({ one: { title, status, reason } }: { one: CaseSummary }) {
  const outcome = status === 'passed' ? 'good' : status === 'failed' ? 'bad' : 'neutral'
  return (
    <li>
      <OutcomeBadge outcome={outcome}>{status.replaceAll('_', ' ')}</OutcomeBadge>
      <span>{title}</span>
      <span class="dim">{reason}</span>
    </li>
  )
}
