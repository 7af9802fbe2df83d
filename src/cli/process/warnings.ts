/** Suppresses Node 22's warning that `node:sqlite` is experimental; other warnings are printed. */
export function silenceSqliteWarning(): void {
  const emitWarning = process.emitWarning.bind(process) as (...words: unknown[]) => void
  process.emitWarning = (...words: unknown[]) => {
    const [warning] = words
    const message = warning instanceof Error ? warning.message : String(warning)
    if (message.startsWith('SQLite is an experimental feature')) return
    emitWarning(...words)
  }
}
