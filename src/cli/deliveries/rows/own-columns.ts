import type { InputRow, RowAction, Rows } from '../../../bulk/index.js'
import { type FieldError, UsageError } from '../../../contract/index.js'

/** Names a sheet's own columns in the errors of its rows, beside the fields that they are mapped to. */
export class OwnColumns {
  readonly #names: ReadonlyMap<string, string>

  /** @param columns the columns with the fields that they are mapped to */
  constructor(columns: ReadonlyMap<string, string>) {
    this.#names = new Map([...columns].map(([name, path]) => [path, name]))
  }

  rows(rows: Rows): Rows {
    const named = (row: InputRow) => ('problem' in row ? { ...row, problem: this.#text(row.problem) } : row)
    return {
      reading: rows.reading,
      async *[Symbol.asyncIterator](): AsyncGenerator<InputRow[]> {
        for await (const batch of rows) yield batch.map(named)
      },
    }
  }

  refusals(refusals: readonly FieldError[]): FieldError[] {
    return refusals.map(({ field, message, ...refusal }) => ({
      ...refusal,
      field: this.#field(field),
      message:
        message === 'is required' && this.#names.has(field)
          ? `is required, and the cell is empty: fill it in, or give a value for rows without one, such as --set ${field}=VALUE`
          : message,
    }))
  }

  action<Input>(action: RowAction<Input>): RowAction<Input> {
    return {
      ...action,
      prepare: (value) => {
        try {
          return action.prepare(value)
        } catch (error) {
          throw error instanceof UsageError
            ? new UsageError(this.#text(error.message), { hint: error.hint, cause: error })
            : error
        }
      },
      execute: async (...call) => {
        const done = await action.execute(...call)
        const { error } = done
        const fields = (error?.fieldErrors ?? []).map(({ field }) => field)
        const isIn = (path: string) => fields.some((field) => path === field || path.startsWith(`${field}.`))
        const names = [...this.#names].flatMap(([path, name]) => (isIn(path) ? [name] : []))
        if (error === undefined || names.length === 0) return done
        const which = names.map((name) => `"${name}"`).join(', ')
        return { ...done, error: { ...error, message: `column ${which}: ${error.message}` } }
      },
    }
  }

  /** A text that begins with a field and a colon. */
  #text(text: string): string {
    return text.replace(/^[\w.]+(?=: )/, (field) => this.#field(field))
  }

  #field(field: string): string {
    const name = this.#names.get(field)
    return name === undefined ? field : `${field} (column "${name}")`
  }
}
