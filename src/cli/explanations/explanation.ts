/** The meaning of a code of the contract or of this program, with advice. */
export interface Explanation {
  readonly kind:
    | 'status'
    | 'reason'
    | 'problem'
    | 'no-quote reason'
    | 'error code'
    | 'command-line error'
    | 'event type'
    | 'webhook state'
    | 'HTTP status'
    | 'exit code'
    | 'access level'
    | 'FPCON level'
    | 'delivery point'
    | 'proof type'
  readonly code: string
  readonly meaning: string
  /** Whether and when to retry. */
  readonly retry: string
  /** Commands to run next; `<id>` and the like stand for values that the reader knows. */
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
