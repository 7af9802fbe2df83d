/** The explanation of a code. */
export interface Explanation {
  /** The kind of code, such as `status` or `error code`. */
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
  /** Whether a retry helps. */
  readonly retry: string
  /** Commands to run next; the user replaces `<id>` and the like. */
  readonly next: readonly string[]
}

/** Rows of `code: [meaning, retry, ...next]`. */
export type ExplanationRows<Code extends string> = Readonly<
  Record<Code, readonly [meaning: string, retry: string, ...next: string[]]>
>

/** Converts rows to explanations of one kind. */
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
