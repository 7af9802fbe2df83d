import type * as Sqlite from 'node:sqlite'
import { oldNode } from './old-node.js'

/**
 * `node:sqlite`, loaded on first use. Node 22 announces it as experimental on stderr, which would break the rule that
 * a program's stderr is its own: that one notice is held back, every other warning passes.
 *
 * @throws UsageError if this Node has none
 */
export function loadSqlite(): typeof Sqlite {
  const emitWarning = process.emitWarning
  process.emitWarning = ((warning: string | Error, ...rest: unknown[]) => {
    if (String(warning).includes('SQLite is an experimental feature')) return
    Reflect.apply(emitWarning, process, [warning, ...rest])
  }) as typeof process.emitWarning
  try {
    const sqlite: typeof Sqlite | undefined = process.getBuiltinModule?.('node:sqlite')
    if (sqlite === undefined) throw oldNode()
    return sqlite
  } finally {
    process.emitWarning = emitWarning
  }
}
