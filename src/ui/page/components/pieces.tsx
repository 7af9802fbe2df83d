import type { ComponentChildren } from 'preact'
import type { Problem } from '../../../trade/problems.js'
import { toneOf } from '../../../trade/statuses.js'
import type { Outcome } from '../../wire/live.js'
import { ageText, clockText, words } from '../models/text.js'
import { now } from '../state/session.js'

/** A delivery's status: a mark, which tells tones apart without colour, and the word. */
export function StatusBadge({ status }: { status: string }) {
  return <span class={`badge ${toneOf(status)}`}>{words(status)}</span>
}

/** What is wrong with a delivery, in the words of the terminal. */
export function ProblemBadge({ problem, title }: { problem: Problem; title?: string | undefined }) {
  return (
    <span class={`badge ${problem.lateMs > 0 ? 'bad' : 'warn'}`} title={title}>
      {words(problem.text)}
    </span>
  )
}

const outcomeTones: Readonly<Record<Outcome, string>> = {
  good: 'good',
  bad: 'bad',
  waiting: 'warn',
  neutral: 'neutral',
}

export function OutcomeBadge({ outcome, children }: { outcome: Outcome; children: ComponentChildren }) {
  return <span class={`badge ${outcomeTones[outcome]}`}>{children}</span>
}

/** A moment as a clock, with its age as the title. */
export function Moment({ at }: { at: string | null | undefined }) {
  if (at == null || at === '') return <span class="dim">—</span>
  return (
    <time dateTime={at} title={at}>
      {clockText(at, now.value)}
    </time>
  )
}

export function Age({ at }: { at: string | null | undefined }) {
  if (at == null) return null
  return (
    <time dateTime={at} title={at}>
      {ageText(at, now.value)}
    </time>
  )
}

/** What a screen says if it has nothing to show. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children}
    </div>
  )
}

/** Names and values, as on a card. */
export function Facts({ rows }: { rows: readonly (readonly [name: string, value: ComponentChildren])[] }) {
  return (
    <dl class="facts">
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

export function Panel({
  title,
  actions,
  children,
}: {
  title: string
  actions?: ComponentChildren
  children: ComponentChildren
}) {
  return (
    <section class="panel">
      <header>
        <h2>{title}</h2>
        {actions}
      </header>
      {children}
    </section>
  )
}
