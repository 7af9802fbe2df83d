import { useId, useState } from 'preact/hooks'
import { shellWord } from '../../../../shared/command-words.js'
import { hasWords } from '../../../wire/list.js'
import type { MagicValue, Switches, TimeAndFaults } from '../../../wire/time.js'
import { command, count } from '../../models/text.js'
import { copy } from '../../state/keys.js'
import { sayFailure, sayResult } from '../../state/messages.js'
import { useAccount } from '../account.js'
import { Action } from '../action.js'
import { LineField, LineForm } from '../fields.js'
import type { Act } from '../hooks.js'
import { Moment, Panel, Shortened } from '../pieces.js'

/** The outage acts at once; the capacity when it is set. */
export function Outage({ all: { outage, capacity }, act }: { all: TimeAndFaults; act: Act }) {
  const account = useAccount()
  const [drivers, setDrivers] = useState(String(capacity.available ?? ''))
  const toggle = (on: boolean) =>
    act('/control/outage', { on }, () => (on ? 'Outage: every request is answered 503.' : 'The outage is over.'))
  const isCount = drivers === '' || /^\d{1,9}$/.test(drivers)
  return (
    <Panel title="Outage and capacity">
      <div class="panel-body stack">
        <label class="check">
          <input
            type="checkbox"
            checked={outage.on}
            onChange={(event) => void toggle(event.currentTarget.checked).then(sayResult, sayFailure)}
            {...account.shows(command`sandbox faults ${outage.on ? '--no-outage' : '--outage'}`)}
          />
          <span>Outage</span>
        </label>
        <p class="dim">Every request is answered 503, and health is degraded.</p>
        <LineForm
          label="Driver capacity, empty for no limit"
          inputMode="numeric"
          value={drivers}
          isWrong={!isCount}
          onType={setDrivers}
          action={{
            label: 'Set capacity',
            command: command`sandbox faults --capacity ${drivers === '' ? 'off' : drivers}`,
            run: () => act('/control/capacity', { available: drivers === '' ? null : Number(drivers) }, capacitySaid),
            disabled: !isCount,
          }}
        />
      </div>
    </Panel>
  )
}

function capacitySaid({ available }: TimeAndFaults['capacity']): string {
  return available === null ? 'As many drivers as it takes.' : `${count(available, 'more driver')} can be assigned.`
}

/** How the sandbox reads the contract where that is ambiguous; each choice acts at once. */
export function SwitchList({ switches: all, act }: { switches: Switches; act: Act }) {
  return (
    <Panel title="Switches" actions={<span class="dim">readings of the contract</span>}>
      <ul class="rows switches">
        {Object.keys(all.switches).map((name) => (
          <Switch key={name} name={name} all={all} act={act} />
        ))}
      </ul>
    </Panel>
  )
}

function Switch({ name, all, act }: { name: string; all: Switches; act: Act }) {
  const account = useAccount()
  const id = useId()
  const [value, choices] = [all.switches[name], all.choices[name] ?? []]
  const choose = (chosen: string | number) =>
    void act('/control/switches', { [name]: chosen }, () => `${name} is ${chosen}.`).then(sayResult, sayFailure)
  const shared = { id, value: String(value), ...account.shows(command`sandbox switches ${`${name}=${value}`}`) }
  return (
    <li>
      <span class="switch-name">
        <label for={id}>{name}</label>
        {value !== all.defaults[name] && <span class="badge warn">changed</span>}
      </span>
      {choices.length > 0 ? (
        <select {...shared} onChange={(event) => choose(event.currentTarget.value)}>
          {choices.map((choice) => (
            <option key={choice} value={choice}>
              {choice}
            </option>
          ))}
        </select>
      ) : (
        <input {...shared} type="number" min={0} onChange={(event) => choose(Number(event.currentTarget.value))} />
      )}
      <span class="dim">{all.summaries[name]}</span>
    </li>
  )
}

/** Named copies of the sandbox's state. */
export function Snapshots({ snapshots: { snapshots }, act }: Pick<TimeAndFaults, 'snapshots'> & { act: Act }) {
  const [name, setName] = useState('')
  const isKnown = snapshots.some((snapshot) => snapshot.name === name)
  return (
    <Panel title="Snapshots">
      {snapshots.length > 0 && (
        <ul class="rows">
          {snapshots.map(({ name: saved, savedAt, bytes }) => (
            <li key={saved}>
              <strong>{saved}</strong>
              <span class="dim">
                <Moment at={savedAt} /> · {Math.ceil(bytes / 1_000).toLocaleString('en-US')} kB
              </span>
              <span class="push">
                <Action
                  label={`Restore ${saved}`}
                  command={`sandbox snapshot restore ${shellWord(saved)}`}
                  run={() =>
                    act(`/control/snapshots/${encodeURIComponent(saved)}/restore`, {}, () => `Restored ${saved}.`)
                  }
                >
                  Restore
                </Action>
              </span>
            </li>
          ))}
        </ul>
      )}
      <div class="panel-body">
        <LineForm
          label="Name of a snapshot"
          value={name}
          onType={setName}
          action={{
            label: isKnown ? 'Overwrite snapshot' : 'Save snapshot',
            command: command`sandbox snapshot save ${name || 'NAME'}` + (isKnown ? ' --force' : ''),
            run: () =>
              act(
                `/control/snapshots/${encodeURIComponent(name)}`,
                { force: isKnown },
                () => `Saved the state as ${name}.`,
              ),
            disabled: name === '',
          }}
        />
      </div>
    </Panel>
  )
}

const shownValues = 12

/** The values that force an outcome, to be copied into an order. */
export function MagicValues({ values }: { values: readonly MagicValue[] }) {
  const [text, setText] = useState('')
  const found = values.filter(({ channel, value, effect }) => hasWords(`${channel} ${value} ${effect}`, text))
  return (
    <Panel title="Magic values" actions={<span class="dim">{found.length}</span>}>
      <div class="panel-body inline">
        <LineField label="Find a magic value" placeholder="gate closed, phone, 503" value={text} onType={setText} />
      </div>
      <Shortened items={found} first={shownValues}>
        {(shown) => (
          <ul class="rows magic">
            {shown.map(({ channel, value, effect }) => (
              <li key={`${channel} ${value}`}>
                <span class="dim">{channel}</span>
                <code>{value}</code>
                <span>
                  {effect.split('`').map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}
                </span>
                <Action
                  label={`Copy ${value}`}
                  command={`sandbox magic ${shellWord(channel)}`}
                  readsOnly
                  run={async () => {
                    await copy(value, `Copied ${value}.`)
                    return undefined
                  }}
                >
                  Copy
                </Action>
              </li>
            ))}
          </ul>
        )}
      </Shortened>
    </Panel>
  )
}
