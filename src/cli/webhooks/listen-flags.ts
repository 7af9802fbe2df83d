import { Flags, type Interfaces } from '@oclif/core'
import { repeatable } from '../command/write-flags.js'
import { parseDurationMs } from '../input/durations.js'
import { keyFileBytes, readInputText } from '../input/read.js'
import { journalFlag } from '../journal/place.js'
import type { ProcessContext } from '../process/context.js'
import { uiFlag } from '../ui/inspector.js'
import { answerFlags } from './answer-flags.js'
import { allowWeakSecretFlag, secretFilesFlag, unmaskFlag } from './flags.js'

/** Flags of `webhooks listen`. */
export const listenFlags = {
  host: Flags.string({ summary: 'Address to listen on (default 127.0.0.1)', helpValue: 'HOST' }),
  port: Flags.integer({ char: 'p', summary: 'Port (default 0: any free port)', min: 0, max: 65_535 }),
  path: Flags.string({ summary: 'Path for webhooks (default /)', helpValue: 'PATH' }),
  'secret-file': secretFilesFlag('Secret to verify with; repeatable'),
  ...allowWeakSecretFlag,
  ...unmaskFlag,
  events: Flags.string({ summary: 'Only these event types, such as a,b or driver.*', helpValue: 'TYPES' }),
  'forward-to': Flags.string({
    summary: 'Forward events to URL or TYPE=URL; repeatable',
    helpValue: 'URL',
    ...repeatable,
  }),
  'forward-timeout': Flags.string({
    summary: 'Limit for one forward (default 30s); 0 for none',
    helpValue: 'SPAN',
  }),
  'show-response': Flags.boolean({ summary: "Show the target's response" }),
  ...journalFlag,
  'no-receive': Flags.boolean({
    summary: 'Only forward what other listeners have taken',
    exclusive: ['port', 'path', 'exec', 'tls-cert'],
  }),
  'admin-port': Flags.integer({
    summary: 'Port for /livez, /readyz and /metrics',
    helpValue: 'PORT',
    min: 0,
    max: 65_535,
  }),
  'admin-host': Flags.string({
    summary: 'Address of the admin port (default 127.0.0.1)',
    helpValue: 'HOST',
    dependsOn: ['admin-port'],
  }),
  'drain-wait': Flags.string({
    summary: 'Keep receiving for SPAN after /readyz begins to answer 503',
    helpValue: 'SPAN',
    dependsOn: ['admin-port'],
  }),
  pull: Flags.boolean({ summary: 'Fetch events from the service' }),
  since: Flags.string({ summary: 'Fetch missed events since this time first', helpValue: 'TIME' }),
  ...answerFlags,
  expect: Flags.string({
    summary: 'Exit 0 once this event type arrived; repeatable',
    helpValue: 'TYPE',
    ...repeatable,
  }),
  count: Flags.integer({ summary: 'How many of each (default 1)', min: 1, dependsOn: ['expect'] }),
  within: Flags.string({
    summary: 'Exit 9 if they did not arrive in this time',
    helpValue: 'SPAN',
    dependsOn: ['expect'],
  }),
  exec: Flags.string({
    summary: 'Run a command, and exit with it',
    helpValue: 'CMD',
  }),
  ...uiFlag,
  'tls-cert': Flags.string({ summary: 'Certificate (PEM)', helpValue: 'FILE', dependsOn: ['tls-key'] }),
  'tls-key': Flags.string({ summary: 'Key of the certificate (PEM)', helpValue: 'FILE', dependsOn: ['tls-cert'] }),
  'allow-host': Flags.string({
    summary: 'Additional accepted host name; repeatable',
    helpValue: 'HOST',
    ...repeatable,
  }),
}

export type ListenFlags = Interfaces.InferredFlags<typeof listenFlags>

/** The TLS certificate, if there is one. */
export async function tlsOf(context: ProcessContext, flags: Partial<Pick<ListenFlags, 'tls-cert' | 'tls-key'>>) {
  const { 'tls-cert': certFile, 'tls-key': keyFile } = flags
  if (certFile === undefined || keyFile === undefined) return {}
  const cert = await readInputText(context, certFile, '--tls-cert', keyFileBytes)
  return { tls: { cert, key: await readInputText(context, keyFile, '--tls-key', keyFileBytes) } }
}

/** The options for forwarding, except the targets. */
export function forwardingOf(flags: Partial<Pick<ListenFlags, 'forward-timeout' | 'show-response'>>) {
  const { 'forward-timeout': timeout, 'show-response': showResponse } = flags
  return {
    ...(showResponse === undefined ? {} : { showResponse }),
    ...(timeout === undefined ? {} : { timeoutMs: parseDurationMs(timeout, '--forward-timeout') }),
  }
}
