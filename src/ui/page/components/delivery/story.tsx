import { storyOf } from '../../../../trade/story.js'
import type { DeliveryDetail } from '../../../wire/deliveries.js'
import { minuteText } from '../../models/text.js'
import { commandFor } from '../../state/messages.js'
import { addressOf } from '../../state/router.js'
import { now, session } from '../../state/session.js'
import { showsCommand } from '../action.js'

type NextStep = 'update' | 'cancel' | 'again'

/** The commands that the page has a dialog for. */
const steps: readonly (readonly [command: RegExp, step: NextStep, label: string])[] = [
  [/^deliveries create --from /, 'again', 'Order again'],
  [/^deliveries update /, 'update', 'Change the order'],
  [/^deliveries cancel /, 'cancel', 'Cancel the order'],
]

interface StoryProps {
  detail: DeliveryDetail
  canUpdate: boolean
  open(step: NextStep): void
}

/** Where the delivery is, as a person would say it; of one that went wrong also why, and what can be done. */
export function Story({ detail, canUpdate, open }: StoryProps) {
  const { story, explained } = detail
  const nowMs = now.value
  const sentence = storyOf(story, { nowMs, time: (atMs) => minuteText(new Date(atMs).toISOString(), nowMs) })
  const meaning = explained.at(-1)
  // Its own screen is the answer to `deliveries get`.
  const next = (meaning?.next ?? []).filter((words) => !words.startsWith('deliveries get '))
  return (
    <div class="story">
      <p class="story-sentence">{sentence}</p>
      {meaning !== undefined && (
        <p>
          {meaning.meaning} <span class="dim">Retry: {meaning.retry}</span>
        </p>
      )}
      {next.length > 0 && (
        <ul>
          {next.map((words) => (
            <li key={words}>
              <NextButton words={words} canUpdate={canUpdate} open={open} />
              <code>$ {commandFor(words)}</code>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

function NextButton({ words, canUpdate, open }: { words: string } & Pick<StoryProps, 'canUpdate' | 'open'>) {
  const code = /^installations (?:get|check) ([\w-]+)$/.exec(words)?.[1]
  if (code !== undefined)
    return (
      <a class="button plain" href={addressOf('/installations', { code })} {...showsCommand(words)}>
        {words.startsWith('installations check') ? 'Check the installation' : 'Open the installation'}
      </a>
    )
  const found = steps.find(([command]) => command.test(words))
  if (found === undefined || session.value?.readOnly !== false) return null
  const [, step, label] = found
  if (step === 'update' && !canUpdate) return null
  return (
    <button type="button" class="button plain" onClick={() => open(step)} {...showsCommand(words)}>
      {label}
    </button>
  )
}
