import { shellWord } from '../../shared/command-words.js'
import { type ExportedEvent, exactText, receiverUrl, signedHeaders } from './exported-event.js'

/** Linux takes 128 KiB in one argument of a command. */
const argumentBytes = 100_000
/** Characters that a terminal acts on or a clipboard changes, and NUL, which no argument can hold. */
export const unprintable = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/

/** The shells that quote and continue lines like each other, but for their words. */
const quotedFor = {
  curl: shellWord,
  // In fish a backslash within quotes escapes a quote or a backslash.
  fish: (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`,
} as const

/** The event as a curl command for a POSIX shell or fish, with the original headers and the exact body. */
export function curlOf(event: ExportedEvent, shell: keyof typeof quotedFor = 'curl'): string {
  const word = quotedFor[shell]
  const { text, encoding } = exactText(event.body)
  const isArgument = encoding === 'utf8' && event.body.length <= argumentBytes && !unprintable.test(text)
  const headers = Object.entries(signedHeaders(event)).map(([name, value]) => `-H ${word(`${name}: ${value}`)}`)
  const base64 = Buffer.from(event.body).toString('base64')
  const [input, data] = isArgument
    ? ['', `--data-raw ${shell === 'fish' ? word(text) : quoted(text)}`]
    : [`printf %s ${base64 === '' ? "''" : base64} | base64 -d | `, '--data-binary @-']
  const url = receiverUrl(event)
  // Outside of an address of IPv6, curl reads brackets and braces as a range of addresses.
  const globoff = /[[\]{}]/.test(url.replace(/^\w+:\/\/\[[^\]]*\]/, '')) ? '--globoff ' : ''
  return [`${input}curl --include ${globoff}--request POST ${word(url)}`, ...headers, data].join(' \\\n  ')
}

/** A body is always quoted, so that it looks like one. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

/** The event as a request of PowerShell, 5 and 7: `curl` is another program there, and quotes within arguments are lost. */
export function powershellOf(event: ExportedEvent): string {
  const { text, encoding } = exactText(event.body)
  const { 'content-type': contentType = 'application/json', ...headers } = signedHeaders(event)
  const isText = encoding === 'utf8' && !unprintable.test(text)
  const bytes = isText
    ? `[Text.Encoding]::UTF8.GetBytes(${powershellWord(text)})`
    : `[Convert]::FromBase64String('${Buffer.from(event.body).toString('base64')}')`
  const pairs = Object.entries(headers).map(([name, value]) => `'${name}' = ${powershellWord(value)}`)
  return [
    `Invoke-WebRequest -UseBasicParsing -Method Post -Uri ${powershellWord(receiverUrl(event))}`,
    `-ContentType ${powershellWord(contentType)}`,
    `-Headers @{ ${pairs.join('; ')} }`,
    `-Body (${bytes})`,
  ].join(' `\n  ')
}

/** PowerShell ends a quoted text at typographic quotation marks as well; doubled, each stands for itself. */
const powershellWord = (text: string) => `'${text.replace(/['\u2018-\u201b]/g, '$&$&')}'`
