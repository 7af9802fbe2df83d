import type { Committed, Journal } from '../journal/journal.js'
import type { ListenerRecord } from '../records.js'

/** The listener's counters, for Prometheus. */
export interface Metrics {
  /** Counts what a record says. */
  record(record: ListenerRecord): void
  /** Counts rejected requests; a record may stand for several. */
  rejected(reason: string): void
  committed(committed: Committed): void
  /** When events were committed last, in milliseconds of the monotonic clock. */
  lastCommitMs(): number
  /** The text of `/metrics`. Reads from the journal what waits; values that it does not have are left out. */
  text(journal: Pick<Journal, 'backlog' | 'failure' | 'failovers' | 'ownedShards'>): Promise<string>
}

const commitBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const batchBounds = [1, 2, 5, 10, 20, 50, 100, 200, 500]

export function listenerMetrics(): Metrics {
  const [accepted, duplicate, conflict] = [
    labels({ outcome: 'accepted' }),
    labels({ outcome: 'duplicate' }),
    labels({ outcome: 'conflict' }),
  ]
  const events = new Map([accepted, duplicate, conflict].map((outcome) => [outcome, 0]))
  const rejected = new Map<string, number>()
  const attempts = new Map<string, number>()
  const commitSeconds = histogram(commitBounds)
  const batchEvents = histogram(batchBounds)
  let lastCommitMs = Number.NEGATIVE_INFINITY

  return {
    record(record) {
      if (record.type === 'event') add(events, record.conflict ? conflict : record.duplicate ? duplicate : accepted)
      if (record.type === 'forwarded')
        add(attempts, labels({ url: record.url, status: record.status === null ? 'none' : String(record.status) }))
    },
    rejected: (reason) => add(rejected, labels({ reason })),
    committed(committed) {
      lastCommitMs = performance.now()
      commitSeconds.observe(committed.seconds)
      batchEvents.observe(committed.events)
    },
    lastCommitMs: () => lastCommitMs,
    async text(journal) {
      const isAvailable = journal.failure() === undefined
      const backlog = isAvailable ? await journal.backlog().catch(() => undefined) : undefined
      const gauge = (value: number | undefined) => new Map(value === undefined ? [] : [['', value]])
      const perTarget = (pick: (one: { count: number; oldestSeconds: number }) => number) =>
        new Map((backlog ?? []).map((one) => [labels({ url: one.url }), pick(one)]))
      return [
        family('dlv_events_total', 'counter', 'Verified events by outcome.', events),
        family('dlv_events_rejected_total', 'counter', 'Requests that were turned away.', rejected),
        commitSeconds.family('dlv_journal_commit_seconds', 'Time until a batch of events was on disk.'),
        batchEvents.family('dlv_journal_batch_events', 'Events written together.'),
        family('dlv_journal_available', 'gauge', 'Whether the journal takes events.', gauge(isAvailable ? 1 : 0)),
        family('dlv_journal_failovers_total', 'counter', 'Changes to another server.', gauge(journal.failovers())),
        family('dlv_forward_attempts_total', 'counter', 'Attempts to forward, by status; none without one.', attempts),
        family(
          'dlv_forwards_pending',
          'gauge',
          'Events that wait for a target.',
          perTarget(({ count }) => count),
        ),
        family(
          'dlv_forwards_oldest_seconds',
          'gauge',
          'Age of the oldest event that waits for a target.',
          perTarget(({ oldestSeconds }) => oldestSeconds),
        ),
        family('dlv_shards_owned', 'gauge', 'Shards that this process forwards.', gauge(journal.ownedShards())),
      ].join('')
    },
  }
}

function add(counts: Map<string, number>, key: string, count = 1) {
  counts.set(key, (counts.get(key) ?? 0) + count)
}

function labels(values: Readonly<Record<string, string>>): string {
  const escaped = (text: string) => text.replace(/[\\"\n]/g, (found) => (found === '\n' ? '\\n' : `\\${found}`))
  return `{${Object.entries(values)
    .map(([name, value]) => `${name}="${escaped(value)}"`)
    .join(',')}}`
}

function family(name: string, type: string, help: string, values: ReadonlyMap<string, number>): string {
  const lines = [...values].map(([key, value]) => `${name}${key} ${value}\n`)
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`
}

function histogram(bounds: readonly number[]) {
  const counts = bounds.map(() => 0)
  let sum = 0
  let count = 0
  return {
    observe(value: number) {
      const at = bounds.findIndex((bound) => value <= bound)
      if (at !== -1) counts[at] = (counts[at] ?? 0) + 1
      sum += value
      count++
    },
    family(name: string, help: string): string {
      let below = 0
      const buckets = bounds.map((bound, at) => {
        below += counts[at] ?? 0
        return `${name}_bucket{le="${bound}"} ${below}\n`
      })
      const rest = `${name}_bucket{le="+Inf"} ${count}\n${name}_sum ${sum}\n${name}_count ${count}\n`
      return `# HELP ${name} ${help}\n# TYPE ${name} histogram\n${buckets.join('')}${rest}`
    },
  }
}
