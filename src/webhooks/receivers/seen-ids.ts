/** Which events have been handled. Over a database: `has` is a lookup, `add` an insert with the event's effects. */
export interface SeenIds {
  /** Whether an event has been handled. */
  has(id: string): boolean | Promise<boolean>
  /** Remembers that an event has been handled. */
  add(id: string): void | Promise<void>
}

/** Remembers the newest ids, only in this process; gone with a restart, and not shared between processes. */
export function seenIdsInMemory(capacity = 100_000): SeenIds {
  const ids = new Set<string>()
  return {
    has: (id) => ids.has(id),
    add(id) {
      ids.add(id)
      if (ids.size <= capacity) return
      for (const oldest of ids) {
        ids.delete(oldest)
        break
      }
    },
  }
}
