/** Keeps Node 22 from telling every user that `node:sqlite` is experimental; every other warning is printed. */
export function silenceSqliteWarning(): void {
  const emitWarning = process.emitWarning.bind(process) as (...words: unknown[]) => void
  process.emitWarning = (...words: unknown[]) => {
    const [warning] = words
    const message = warning instanceof Error ? warning.message : String(warning)
    if (message.startsWith('SQLite is an experimental feature')) return
    emitWarning(...words)
  }
}
