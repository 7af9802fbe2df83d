import { shellWord } from '../../shared/shell-word.js'
import { type ExportedEvent, exactText, receiverUrl, signedHeaders } from './exported-event.js'

/** Linux takes 128 KiB in one argument of a command. */
const argumentBytes = 100_000
/** Characters that a terminal acts on or a clipboard changes, and NUL, which no argument can hold. */
export const unprintable = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/

/**
 * The event as a curl command for a POSIX shell, with the original headers and the exact body. It posts to
 * `$DLV_WEBHOOK_URL` if that is set, and otherwise to where the event was received.
 */
export function curlOf(event: ExportedEvent): string {
  const { text, encoding } = exactText(event.body)
  const isArgument = encoding === 'utf8' && event.body.length <= argumentBytes && !unprintable.test(text)
  const headers = Object.entries(signedHeaders(event)).map(([name, value]) => `-H ${shellWord(`${name}: ${value}`)}`)
  const base64 = Buffer.from(event.body).toString('base64')
  const [input, data] = isArgument
    ? ['', `--data-raw ${quoted(text)}`]
    : [`printf %s ${base64 === '' ? "''" : base64} | base64 -d | `, '--data-binary @-']
  return [`${input}curl --include --request POST ${target(receiverUrl(event))}`, ...headers, data].join(' \\\n  ')
}

/** Inside the quotes of a default value, a shell would still expand `$`, `\`` and `\\`, and end at `}` and `"`. */
function target(url: string): string {
  return /^[\w.:/?&=%#@+,~[\]-]+$/.test(url) ? `"\${DLV_WEBHOOK_URL:-${url}}"` : shellWord(url)
}

/** A body is always quoted, so that it looks like one. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
