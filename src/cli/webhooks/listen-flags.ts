import { randomInt } from 'node:crypto'
import { Flags, type Interfaces } from '@oclif/core'
import { UsageError } from '../../contract/index.js'
import type { BadAnswers, Route } from '../../listener/index.js'
import { matchesStars } from '../../shared/word-match.js'
import { repeatable } from '../command/write-flags.js'
import { keyFileBytes, readInputText } from '../input/read.js'
import { allowWeakSecretFlag } from '../input/secrets.js'
import { parseDurationMs } from '../input/times.js'
import { journalFlag } from '../journal/place.js'
import type { ProcessContext } from '../process/context.js'
import { uiFlag } from '../ui/inspector.js'
import { secretFilesFlag, unmaskFlag } from './flags.js'

/** Flags of `webhooks listen` that let it fail on purpose. */
const answerFlags = {
  answer: Flags.string({
    summary: 'Fail on purpose, such as 500@30% or reset@5%; repeatable',
    helpValue: 'ANSWER',
    ...repeatable,
  }),
  'answer-delay': Flags.string({ summary: 'Delay responses, such as by 12s or 12s@20%', helpValue: 'DURATION' }),
  'answer-seed': Flags.integer({ summary: 'Seed that chooses the same webhooks again', min: 0, helpValue: 'N' }),
}

/**
 * How the listener answers on purpose; `undefined` if it does not.
 *
 * @throws UsageError for an answer, a share or a delay that is none
 */
export function badAnswersOf(flags: Interfaces.InferredFlags<typeof answerFlags>): BadAnswers | undefined {
  const { answer = [], 'answer-delay': delay, 'answer-seed': seed } = flags
  if (answer.length === 0 && delay === undefined) {
    if (seed === undefined) return undefined
    throw new UsageError('--answer-seed needs --answer or --answer-delay.')
  }
  const answers = answer.map(parseAnswer)
  const total = answers.reduce((sum, { share }) => sum + share, 0)
  // Shares such as 30% are not exact in binary.
  if (total > 1 + 1e-9)
    throw new UsageError(`--answer ${answer.join(' --answer ')}: the shares add up to more than 100%.`)
  return { answers, delay: delay === undefined ? undefined : parseDelay(delay), seed: seed ?? randomInt(2 ** 32) }
}

function parseAnswer(text: string): BadAnswers['answers'][number] {
  const { what, share } = withShare(text, '--answer')
  if (what === 'reset') return { answer: 'reset', share }
  if (/^[345]\d\d$/.test(what)) return { answer: Number(what), share }
  throw new UsageError(`--answer must be a status from 300 to 599, or reset, got "${text.slice(0, 40)}".`, {
    hint: 'Add a share of the webhooks if needed: --answer 500@30% --answer reset@5%',
  })
}

function parseDelay(text: string): NonNullable<BadAnswers['delay']> {
  const { what, share } = withShare(text, '--answer-delay')
  return { ms: parseDurationMs(what, '--answer-delay'), share }
}

/** The part before `@`, and the share after it; all of them if there is none. */
function withShare(text: string, flag: string): { what: string; share: number } {
  const at = text.indexOf('@')
  if (at === -1) return { what: text, share: 1 }
  const [, percent] = /^(\d+(?:\.\d+)?)%$/.exec(text.slice(at + 1)) ?? []
  const share = Number(percent) / 100
  if (share > 0 && share <= 1) return { what: text.slice(0, at), share }
  throw new UsageError(`${flag} expects a share from 0% to 100% after the @, as in 30%, got "${text.slice(0, 40)}".`)
}

/** Flags of `webhooks listen`. */
export const listenFlags = {
  host: Flags.string({ summary: 'Address to listen on (default 127.0.0.1)', helpValue: 'HOST' }),
  port: Flags.integer({ char: 'p', summary: 'Port (default 0: any free port)', min: 0, max: 65_535 }),
  path: Flags.string({ summary: 'Path for webhooks (default /)', helpValue: 'PATH' }),
  'secret-file': secretFilesFlag('Secret, as FILE or ACCOUNT:FILE; repeatable'),
  ...allowWeakSecretFlag,
  ...unmaskFlag,
  events: Flags.string({ summary: 'Only these event types, such as a,b or driver.*', helpValue: 'TYPES' }),
  'forward-to': Flags.string({
    summary: 'Forward to URL, TYPE=URL or ACCOUNT:URL; repeatable',
    helpValue: 'URL',
    ...repeatable,
  }),
  'forward-timeout': Flags.string({
    summary: 'Limit for one forward (default 30s); 0 for none',
    helpValue: 'DURATION',
  }),
  'show-response': Flags.boolean({ summary: "Show the target's response" }),
  ...journalFlag,
  'no-receive': Flags.boolean({
    summary: 'Forward only; receive nothing',
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
    summary: 'Keep receiving after /readyz has begun to answer 503',
    helpValue: 'DURATION',
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
    helpValue: 'DURATION',
    dependsOn: ['expect'],
  }),
  exec: Flags.string({
    summary: 'Run a command and exit with its code',
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

/** The accounts that `--forward-to` may name, and what their events are kept under. */
export type RouteAccounts = readonly { name: string; mark: string }[]

/**
 * The targets of a listener: `--forward-to` as URL, TYPE=URL, ACCOUNT:URL or ACCOUNT:TYPE=URL, and the routes of the project
 * file. `shown` limits the routes without a type.
 *
 * @throws UsageError for an account that is not listened for
 */
export function parseRoutes(
  targets: readonly string[],
  projectRoutes: Readonly<Record<string, string>>,
  shown: readonly string[] | undefined,
  accounts: RouteAccounts = [],
): Route[] {
  const given = targets.flatMap((target): Route[] => {
    const { marks, rest } = accountsOfRoute(target, accounts)
    const [, type, url] = /^([a-z_*]+(?:\.[a-z_*]+)?)=(https?:.*)$/.exec(rest) ?? []
    const route =
      type === undefined || url === undefined ? { url: rest, eventTypes: shown } : { url, eventTypes: [type] }
    return marks?.map((account) => ({ ...route, account })) ?? [route]
  })
  const fromProject = Object.entries(projectRoutes).map(
    ([type, url]): Route => (type === '*' ? { url, eventTypes: shown } : { url, eventTypes: [type] }),
  )
  return given.length > 0 ? given : fromProject
}

/** The accounts that a target begins with, as `acme:URL`, `acme-*:URL` or `acme:delivery.*=URL`, and the rest of it. */
function accountsOfRoute(target: string, accounts: RouteAccounts): { marks?: string[]; rest: string } {
  const [, name, rest] =
    /^([A-Za-z0-9*][A-Za-z0-9._*-]{0,63}):((?:[a-z_*]+(?:\.[a-z_*]+)?=)?https?:.*)$/.exec(target) ?? []
  if (name === undefined || rest === undefined) return { rest: target }
  const named = accounts.filter((one) => matchesStars(name, one.name))
  if (named.length > 0) return { marks: named.map(({ mark }) => mark), rest }
  throw new UsageError(`--forward-to ${name}:… names an account that is not listened for.`, {
    hint: `Listened for: ${accounts.map((one) => one.name).join(', ')}. Choose accounts with -P a,b.`,
  })
}
