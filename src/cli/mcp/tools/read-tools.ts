import { z } from 'zod'
import { valuesNote } from '../../../archive/index.js'
import { redactJson } from '../../../client/index.js'
import { isKnownDeliveryStatus } from '../../../contract/index.js'
import { valueAt } from '../../../render/view.js'
import { onAccount } from '../../../shared/command-words.js'
import { explainFailure, verify } from '../../../webhooks/index.js'
import { nextAbout, type Subject } from '../../errors/next-command.js'
import { explain } from '../../explanations/index.js'
import { signatureErrorOf } from '../../webhooks/signature-failure.js'
import {
  bool,
  list,
  nullableText,
  number,
  object,
  readHints,
  type Tool,
  type ToolContext,
  text,
  tool,
} from '../tool.js'
import { boundedRows, paramsOf, profileNote, queryLimits, queryTimedOut, queryTogether } from './query-accounts.js'
import { answered, asList, asRecord, Body, flags, Limit, Name, only, Status, Time } from './shared.js'

const none = z.strictObject({})
const read = { group: 'read' as const, hints: readHints }

/** The explanation of a code, for results that hold one. */
function meaningOf(code: unknown, { accountFlags }: ToolContext, subject: Subject) {
  const [found] = typeof code === 'string' ? explain(code) : []
  if (found === undefined) return undefined
  const next = nextAbout(found, subject).map((command) => onAccount(command, accountFlags))
  return { code, meaning: found.meaning, retry: found.retry, next }
}

/** The members that are texts. */
function textsOf(values: Readonly<Record<string, unknown>>): Subject {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  )
}

/** The oldest; a model has no use for thousands. */
const mostGaps = 50

const rowMembers = ['deliveryId', 'clientOrderReference', 'status', 'problem', 'createdAt', 'updatedAt']

export const readTools: readonly Tool[] = [
  tool({
    ...read,
    name: 'whoami',
    description: 'The profile, its environment and what the account can do. Call it first.',
    input: none,
    output: { profile: text, environment: text, service: text, accountType: text, capabilities: object },
    holdsText: true,
    async call(_, context) {
      const { profile, environment, baseUrl = 'embedded sandbox' } = context.account
      return answered(context, { words: ['capabilities'] }, (value) => ({
        profile,
        environment,
        service: baseUrl,
        ...only(value, ['accountType', 'capabilities']),
      }))
    },
  }),
  tool({
    ...read,
    name: 'delivery_get',
    ofAll: 'owner',
    description: 'One delivery with its history; says why it failed, and whether to try again.',
    input: z.strictObject({ deliveryId: Name }),
    output: { deliveryId: text, status: text, statusReasonCode: nullableText, statusHistory: list, why: object },
    holdsText: true,
    call: ({ deliveryId: name }, context) =>
      answered(context, { words: ['deliveries', 'get'], args: [name] }, (value) => {
        const delivery = asRecord(value)
        const { deliveryId, clientOrderReference } = delivery
        const code = valueAt(delivery, 'dropoff.installation.code')
        const subject = textsOf({ id: deliveryId, clientOrderReference, code })
        const why =
          meaningOf(delivery.statusReasonCode, context, subject) ?? meaningOf(delivery.status, context, subject)
        return { ...delivery, ...(why === undefined ? {} : { why }) }
      }),
  }),
  tool({
    ...read,
    name: 'deliveries_find',
    ofAll: { rows: 'deliveries', by: 'createdAt', isNewestFirst: true },
    description: 'Deliveries by time, status, reference or what is wrong with them, newest first.',
    input: z.strictObject({
      from: Time.optional(),
      to: Time.optional(),
      status: z.array(Status).max(16).optional(),
      problem: z
        .boolean()
        .describe('What is stuck, late, failed, expired or returning, and why; adds to status')
        .optional(),
      reference: z.string().max(128).optional(),
      limit: Limit,
    }),
    output: { deliveries: list, more: bool, notice: nullableText },
    holdsText: true,
    call({ from, to, status = [], problem, reference, limit }, context) {
      const chosen = flags({ from, to, status: status.join() || undefined, ref: reference, limit })
      const words = ['deliveries', 'list', ...(problem ? ['--problem'] : []), ...chosen]
      const unknown = status.filter((one) => !isKnownDeliveryStatus(one))
      return answered(context, { words }, (value) => {
        const deliveries = asList(value).map((row) => only(row, rowMembers))
        const notice = unknown.length === 0 ? null : `This version does not know ${unknown.join(', ')}; used as it is.`
        return { deliveries, more: deliveries.length >= limit, notice }
      })
    },
  }),
  tool({
    ...read,
    name: 'events_find',
    ofAll: { rows: 'events', by: 'occurredAt' },
    description: 'Past events, oldest first; kept for 30 days. With deliveryId, the story of one delivery.',
    input: z.strictObject({
      since: Time.optional(),
      until: Time.optional(),
      type: z.string().max(80).describe('Such as delivery.failed').optional(),
      deliveryId: z.string().max(80).optional(),
      limit: Limit,
    }),
    output: { events: list, more: bool },
    holdsText: true,
    call: ({ since, until, type, deliveryId, limit }, context) =>
      answered(
        context,
        { words: ['events', 'list', ...flags({ since, until, type, delivery: deliveryId, limit })] },
        (value) => {
          const events = asList(value).map((event) => {
            const delivery = asRecord(asRecord(event.data).delivery)
            const webhook = [
              'eventId',
              'eventType',
              'occurredAt',
              'deliveryId',
              'lastDeliveryStatus',
              'deliveryAttempts',
            ]
            return { ...only(event, webhook), ...only(delivery, ['status', 'statusReasonCode']) }
          })
          return { events, more: events.length >= limit }
        },
      ),
  }),
  tool({
    ...read,
    name: 'webhook_explain',
    ofAll: 'verdict',
    description:
      "Verifies a webhook and names the mistake if it does not verify. Uses the profile's secrets, or the one given.",
    input: z.strictObject({
      headers: z.record(z.string(), z.string()).describe('With webhook-id, webhook-timestamp, webhook-signature'),
      body: z.string().max(1_048_576).describe('The exact raw body'),
      secret: z.string().max(500).optional(),
    }),
    output: {
      ok: bool,
      reason: nullableText,
      mistake: nullableText,
      message: text,
      hint: nullableText,
      eventType: nullableText,
    },
    holdsText: true,
    async call({ headers, body, secret }, context) {
      const secrets = secret === undefined ? await context.secrets() : [{ name: 'given', secret }]
      const input = {
        secrets: secrets.map((one) => one.secret),
        headers,
        body: Buffer.from(body),
        nowSeconds: Math.floor(context.nowMs() / 1_000),
      }
      const verdict = verify(input)
      if (verdict.ok) {
        const eventType = verdict.event?.eventType ?? null
        return { data: { ok: true, reason: null, message: 'The signature is valid.', id: verdict.id, eventType } }
      }
      const failed = { ...input, otherSecrets: context.foreignSecrets(secrets) }
      const { reason, message, hint = null } = signatureErrorOf(verdict, failed)
      const mistake = explainFailure(failed)?.mistake ?? null
      return { data: { ok: false, reason, mistake, message, hint } }
    },
  }),
  tool({
    ...read,
    name: 'webhook_gaps',
    ofAll: { rows: 'gaps', by: 'occurredAt' },
    description: 'Events that the service sent and the local listener never received.',
    input: z.strictObject({ since: Time.optional() }),
    output: { gaps: list, total: number },
    holdsText: true,
    call: ({ since }, context) =>
      answered(context, { words: ['webhooks', 'gaps', ...flags({ since })] }, (value) => ({
        gaps: asList(value).slice(0, mostGaps),
        total: asList(value).length,
      })),
  }),
  tool({
    ...read,
    name: 'serviceability_check',
    description: 'Whether a stop can be served, at a military installation too, and why not.',
    input: z.strictObject({
      dropoff: Body.describe('{address, installation: {code}, unit}'),
      package: Body.describe('{contains: []}').optional(),
      deliverAt: Time.optional(),
    }),
    output: { serviceable: bool, reasonCode: nullableText, retryAfter: nullableText, why: object },
    holdsText: true,
    call: (request, context) =>
      answered(context, { words: ['installations', 'check', '--file=-'], stdin: JSON.stringify(request) }, (value) => {
        const answer = asRecord(value)
        const why = meaningOf(
          answer.reasonCode,
          context,
          textsOf({ code: valueAt(request, 'dropoff.installation.code') }),
        )
        return { ...answer, ...(why === undefined ? {} : { why }) }
      }),
  }),
  tool({
    ...read,
    name: 'quote_create',
    description: 'Prices for an order, without creating a delivery.',
    input: z.strictObject({ order: Body.describe('{pickup: {storeReference}, dropoff, package, …}') }),
    output: { quotes: list, expiresAt: nullableText, noQuoteReason: nullableText },
    holdsText: true,
    call: ({ order }, context) =>
      answered(context, { words: ['quotes', 'create', '--file=-'], stdin: JSON.stringify(order) }, asRecord),
  }),
  tool({
    ...read,
    name: 'explain',
    ofAll: 'same',
    description: 'What a status, reason, error, event type, HTTP status or exit code means, and what to do.',
    input: z.strictObject({ code: z.string().min(1).max(80) }),
    output: { explanations: list },
    holdsText: false,
    call: ({ code }, context) =>
      answered(context, { words: ['explain'], args: [code] }, (value) => ({
        explanations: Array.isArray(value) ? value : [value],
      })),
  }),
  tool({
    ...read,
    name: 'doctor',
    description: 'Checks configuration, network, key and clock.',
    input: none,
    output: { ok: bool, findings: list },
    holdsText: true,
    call: (_, context) =>
      answered(context, { words: ['doctor'] }, (value) => {
        const findings = asList(value)
        return { ok: !findings.some(({ verdict }) => verdict === 'problem'), findings: redactJson(findings) }
      }),
  }),
  tool({
    ...read,
    name: 'report',
    description: 'How deliveries of a period went: times, promises, reasons, costs.',
    input: z.strictObject({ from: Time.optional(), to: Time.optional() }),
    output: { period: object, deliveries: number, metrics: object, reasons: list, money: object },
    holdsText: true,
    call: ({ from, to }, context) =>
      answered(context, { words: ['report', ...flags({ from, to })] }, (value) =>
        only(value, ['period', 'deliveries', 'metrics', 'reasons', 'money']),
      ),
  }),
  tool({
    ...read,
    name: 'query',
    description:
      'Asks the archive of deliveries and events with one SQLite SELECT. Call schema first; no personal data.',
    input: z.strictObject({
      sql: z.string().min(1).max(20_000),
      params: z
        .record(z.string(), z.union([z.string(), z.number()]))
        .describe('Values of :name')
        .optional(),
    }),
    output: { rows: list, more: bool },
    holdsText: true,
    callTogether: queryTogether,
    async call({ sql, params = {} }, context) {
      const words = [
        'query',
        `--limit=${queryLimits.rows + 1}`,
        `--limit-characters=${queryLimits.characters}`,
        ...paramsOf(params).map((param) => `--param=${param}`),
      ]
      const timeout = AbortSignal.timeout(queryLimits.ms)
      const { value, error } = await context.run({ words, args: ['-'], stdin: sql }, timeout)
      if (error !== undefined) return { error: timeout.aborted ? queryTimedOut() : { ...error } }
      return { data: boundedRows(asList(value)) }
    },
  }),
  tool({
    ...read,
    name: 'schema',
    ofAll: 'same',
    description: 'The tables, views and columns that query reads.',
    input: none,
    output: { tables: list, values: text },
    holdsText: false,
    call: (_, context) =>
      answered(context, { words: ['query', '--schema'] }, (value) => ({
        values: context.isOneOfSeveral ? `${profileNote} ${valuesNote}` : valuesNote,
        tables: asList(value)
          .filter(({ file }) => file === 'archive')
          .map(({ name, about, columns }) => ({
            table: name,
            about,
            columns: asList(columns).map((column) => `${column.name}: ${column.about}`),
          })),
      })),
  }),
]
