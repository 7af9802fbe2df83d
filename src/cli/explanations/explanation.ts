/** What a word of the contract means to the person who meets it. */
export interface Explanation {
  /** What kind of word it is, such as `status` or `error code`. */
  readonly kind:
    | 'status'
    | 'reason'
    | 'error code'
    | 'event type'
    | 'exit code'
    | 'no-quote reason'
    | 'command-line error'
  readonly code: string
  readonly meaning: string
  /** Whether trying again helps. */
  readonly retry: string
  /** What to run next; `<id>` and the like stand for what the reader knows. */
  readonly next: readonly string[]
}

/** Rows of `code: [meaning, retry, ...next]`. */
export type ExplanationRows<Code extends string> = Readonly<
  Record<Code, readonly [meaning: string, retry: string, ...next: string[]]>
>

/** Turns rows into explanations of one kind. */
export function explanationsOf<Code extends string>(
  kind: Explanation['kind'],
  rows: ExplanationRows<Code>,
): Explanation[] {
  return Object.entries<readonly [string, string, ...string[]]>(rows).map(([code, [meaning, retry, ...next]]) => ({
    kind,
    code,
    meaning,
    retry,
    next,
  }))
}
