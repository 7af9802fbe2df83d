import { useEffect, useRef, useState } from 'preact/hooks'
import type { CaseSummary, ReceiverSummary, ReceiverTest } from '../../../wire/webhooks.js'
import { count, shellWord } from '../../models/text.js'
import { get, post } from '../../state/api.js'
import { sayFailure, sayResult } from '../../state/messages.js'
import { Action } from '../action.js'
import { OutcomeBadge, Panel } from '../pieces.js'
import { TextField } from '../text-field.js'

const readEveryMs = 250

/** The examination of a receiver: every situation of the contract is played, and its cases appear as they end. */
export function ReceiverTestPanel({ receivers }: { receivers: readonly ReceiverSummary[] }) {
  const [typed, setTyped] = useState<string | undefined>(undefined)
  const [test, setTest] = useState<ReceiverTest | undefined>(undefined)
  const timer = useRef<number | undefined>(undefined)
  const url = typed ?? receivers.find(({ isListener }) => !isListener)?.url ?? receivers[0]?.url ?? ''
  useEffect(() => () => clearTimeout(timer.current), [])
  const follow = async (testId: string) => {
    try {
      const state = await get<ReceiverTest>(`/webhooks/tests/${testId}`)
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
    const started = await post<ReceiverTest>('/webhooks/tests', { url })
    setTest(started)
    void follow(started.testId)
    return undefined
  }
  return (
    <Panel
      title="Test a receiver"
      actions={test === undefined ? undefined : <span class="dim">{progressText(test)}</span>}
    >
      <form class="panel-body inline" onSubmit={(event) => event.preventDefault()}>
        <TextField
          label="Receiver to test"
          type="url"
          placeholder="http://localhost:3000/hooks"
          value={url}
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
        <Action
          label="Run the test"
          type="submit"
          command={`webhooks test --to ${url === '' ? 'URL' : shellWord(url)}`}
          run={start}
          disabled={test !== undefined && !test.isOver}
        />
      </form>
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
