/** The result of one check. */
export interface Finding {
  check: string
  verdict: 'ok' | 'warning' | 'problem'
  finding: string
  hint: string | null
}

export const ok = (check: string, finding: string): Finding => ({ check, verdict: 'ok', finding, hint: null })
export const warning = (check: string, finding: string, hint: string | null): Finding => ({
  check,
  verdict: 'warning',
  finding,
  hint,
})
export const problem = (check: string, finding: string, hint: string | null): Finding => ({
  check,
  verdict: 'problem',
  finding,
  hint,
})
