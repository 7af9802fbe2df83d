import { useState } from 'preact/hooks'
import { shellWord } from '../../../../shared/command-words.js'
import type { Done, FormField } from '../../../wire/deliveries.js'
import { assignmentsOf, changesOf, type Typed, typedOf } from '../../models/form.js'
import { command } from '../../models/text.js'
import { Failed, post } from '../../state/api.js'
import { Action } from '../action.js'
import { Field } from '../form-fields.js'
import { Panel } from '../pieces.js'

interface PolicyProps {
  code: string
  fields: readonly FormField[]
  reload(): Promise<void>
}

/** The editable parts of an installation in a sandbox: its rules, and the hours of each gate. */
export function Policy({ code, fields, reload }: PolicyProps) {
  const [typed, setTyped] = useState<Typed>(() => typedOf(fields))
  const [problems, setProblems] = useState<Record<string, string>>({})
  const { value: changes } = changesOf(fields, typed)
  const names = Object.keys(changes)
  const save = async () => {
    setProblems({})
    const { message } = await post<Done>(`/installations/${encodeURIComponent(code)}/policy`, { changes })
    await reload()
    return message
  }
  return (
    <Panel title="Policy" actions={<span class="dim">affects deliveries under way</span>}>
      <form class="panel-body policy" onSubmit={(event) => event.preventDefault()}>
        {fields.map((field) => (
          <Field
            key={field.path}
            field={field.type === 'list' ? { ...field, choices: undefined as never } : field}
            text={typed[field.path] ?? ''}
            problem={problems[field.path]}
            onType={(text) => setTyped((before) => ({ ...before, [field.path]: text }))}
          />
        ))}
        <div class="form-actions">
          <Action
            label="Save policy"
            type="submit"
            kind="primary"
            command={commandOf(code, fields, typed)}
            run={save}
            disabled={names.length === 0}
            onFailure={(error) => {
              if (!(error instanceof Failed)) return false
              setProblems(
                Object.fromEntries(
                  (error.failure.fieldErrors ?? []).map(({ field, message }) => [
                    field.replace(/\[\d+\]$/, ''),
                    message ?? 'is not valid',
                  ]),
                ),
              )
              return false
            }}
          />
        </div>
      </form>
    </Panel>
  )
}

/** The command has no other way to clear a field than to set it to nothing. */
function commandOf(code: string, fields: readonly FormField[], typed: Typed): string {
  const lists = new Set(fields.filter(({ type }) => type === 'list').map(({ path }) => path))
  const sets = assignmentsOf(fields, typed).map(([flag, value = '']) =>
    flag === '--clear' ? `${value}=${lists.has(value) ? '[]' : 'null'}` : value,
  )
  return [
    command`sandbox policy ${code}`,
    ...(sets.length === 0 ? ['--set PATH=VALUE'] : sets.map((set) => `--set ${shellWord(set)}`)),
  ].join(' ')
}
