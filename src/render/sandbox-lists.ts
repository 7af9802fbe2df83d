import { textOf } from '../shared/json.js'
import { webhookTone } from '../trade/webhook-status.js'
import { plainText } from './plain-text.js'
import { toneInks } from './status-word.js'
import { paint, type Style } from './style.js'
import { clockText, whenText } from './times.js'
import { type Column, cell, idOf, type View } from './view.js'

const time = (name: string, header: string): Column => ({
  name,
  header,
  cell: cell<Record<string, unknown>>((row, style) => whenText(textOf(row[name]), style)),
})

const attemptColumns: readonly Column[] = [
  { name: 'attempt', header: 'TRY', align: 'right' },
  {
    name: 'outcome',
    cell: cell<{ outcome?: unknown }>(({ outcome }, style) => {
      const word = plainText(String(outcome ?? ''))
      return paint(style, toneInks[webhookTone(word)], word)
    }),
  },
  { name: 'statusCode', header: 'STATUS', align: 'right' },
  { name: 'durationMs', header: 'MS', align: 'right' },
  { name: 'error', elastic: true },
  { name: 'url' },
]

/** Every attempt at a webhook, by the virtual clock. */
export const attemptList: View<unknown[]> = {
  id: idOf('eventId'),
  timed: true,
  empty: 'No attempts yet. Webhooks go to endpoints, while dlv webhooks listen, dlv ui or dlv sandbox start runs.',
  columns: [{ name: 'eventId', header: 'EVENT', keep: true }, time('sentAt', 'SENT'), ...attemptColumns],
}

/** The attempts of an event that was sent once more. */
export const resentList: View<unknown[]> = {
  id: idOf('eventId'),
  empty: 'No receiver is registered. Add one: dlv sandbox endpoints add URL',
  columns: [{ name: 'eventId', header: 'EVENT', keep: true }, ...attemptColumns],
}

/** Receivers of webhooks. */
export const endpointList: View<unknown[]> = {
  id: idOf('id'),
  empty: 'No receivers. Add one: dlv sandbox endpoints add URL',
  columns: [
    { name: 'id', keep: true },
    { name: 'url', keep: true },
    { name: 'account' },
    { name: 'kind' },
    { name: 'disabled' },
    { name: 'consecutiveFailures', header: 'FAILURES', align: 'right' },
  ],
}

/** Named copies of the state, saved in real time. */
export const snapshotList: View<unknown[]> = {
  id: idOf('name'),
  empty: 'No snapshots. Save one: dlv sandbox snapshot save NAME',
  columns: [
    { name: 'name', keep: true },
    {
      name: 'savedAt',
      header: 'SAVED',
      cell: cell<{ savedAt: string }>(({ savedAt }, style) => clockText(Date.parse(savedAt), style)),
    },
    {
      name: 'bytes',
      header: 'SIZE',
      align: 'right',
      cell: cell<{ bytes?: unknown }>(({ bytes }) => (typeof bytes === 'number' ? sizeText(bytes) : '')),
    },
  ],
}

/** A request that a sandbox answered, as far as it is drawn. */
export interface AnsweredRequest {
  /** RFC 3339, in real time. */
  at: string
  method: string
  path: string
  status: number
  errorCode?: string | undefined
  durationMs: number
}

/** The last requests, in real time. */
export const requestList: View<unknown[]> = {
  id: idOf('requestId'),
  empty: 'No requests yet.',
  columns: [
    {
      name: 'at',
      header: 'TIME',
      cell: cell<AnsweredRequest>(({ at }, style) => (style.terminal ? clockText(Date.parse(at), style) : at)),
    },
    { name: 'method' },
    { name: 'path', elastic: true },
    { name: 'status', align: 'right', cell: cell<AnsweredRequest>(statusText) },
    { name: 'durationMs', header: 'MS', align: 'right' },
    { name: 'errorCode', header: 'ERROR', narrow: false },
    { name: 'requestId', header: 'ID', keep: true },
  ],
}

/** A line of the log of a served sandbox; a time of day on a terminal, RFC 3339 elsewhere. */
export function requestLine(request: AnsweredRequest, style: Style): string {
  const { at, method, path, errorCode, durationMs } = request
  const when = style.terminal ? clockText(Date.parse(at), style) : at
  return [
    paint(style, 'dim', when),
    statusText(request, style),
    plainText(method).padEnd(5),
    plainText(path),
    paint(style, 'dim', `${durationMs} ms`),
    ...(errorCode === undefined ? [] : [plainText(errorCode)]),
  ].join('  ')
}

function statusText({ status }: AnsweredRequest, style: Style): string {
  return paint(style, status < 400 ? 'green' : status < 500 ? 'yellow' : 'red', String(status))
}

const units = ['bytes', 'kB', 'MB', 'GB'] as const

/** A number of bytes: `820 bytes`, `660 kB`, `1.2 MB`. */
function sizeText(bytes: number): string {
  const power = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)))
  const value = bytes / 1_000 ** power
  return `${power > 0 && value < 10 ? value.toFixed(1) : Math.round(value)} ${units[power]}`
}
