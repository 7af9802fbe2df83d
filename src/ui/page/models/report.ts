import type { ReportAnswer } from '../../wire/report.js'

/** The period before, if anything happened in it: what is new has nothing to be compared with. */
export function comparable(before: ReportAnswer['report']['before']): ReportAnswer['report']['before'] {
  return before === null || before.deliveries === 0 ? null : before
}

export function percentText(value: number | null): string {
  return value === null ? '—' : `${(value * 100).toFixed(1)} %`
}

/** The change of a share in percentage points; empty without both. */
export function pointsText(now: number | null, then: number | null | undefined): string {
  if (now === null || then === null || then === undefined) return ''
  const change = ((now - then) * 100).toFixed(1)
  return `${now >= then ? '+' : ''}${change} points`
}

/** Seconds as `1h 04m`, `12m 30s` or `45s`. */
export function secondsText(seconds: number | null): string {
  if (seconds === null) return '—'
  const whole = Math.round(Math.abs(seconds))
  const [hours, minutes, rest] = [Math.floor(whole / 3_600), Math.floor((whole % 3_600) / 60), whole % 60]
  const two = (value: number) => String(value).padStart(2, '0')
  const text = hours > 0 ? `${hours}h ${two(minutes)}m` : minutes > 0 ? `${minutes}m ${two(rest)}s` : `${rest}s`
  return seconds <= -1 ? `-${text}` : text
}

const monthDay = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', timeZone: 'UTC' })

/** `Nov 8` for `2026-11-08`. */
export function dayText(day: string): string {
  const at = new Date(day)
  return Number.isNaN(at.getTime()) ? day : monthDay.format(at)
}
