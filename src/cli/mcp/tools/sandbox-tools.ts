import { z } from 'zod'
import { bool, list, object, type Tool, text, tool } from '../tool.js'
import { answered, asList, asRecord, Body, confirmForeignReceiver, flags, Name, only, Status, Url } from './shared.js'

const hints = { readOnly: false, destructive: false, idempotent: false, openWorld: false }
const sandbox = { group: 'sandbox' as const, hints }
const confirm = z.string().max(200).describe('Token of the preview').optional()

/** Tools that control a sandbox. On any other than this user's, only these two work. */
export const remoteSandboxTools: readonly string[] = ['simulate', 'receiver_test']

export const sandboxTools: readonly Tool[] = [
  tool({
    ...sandbox,
    name: 'simulate',
    description: 'Moves a sandbox delivery to a status, through all in between, each with its event.',
    input: z.strictObject({
      deliveryId: Name,
      to: Status,
      reasonCode: z.string().max(80).describe('For failed, cancelled and others').optional(),
    }),
    output: { deliveryId: text, status: text, emittedEvents: list },
    holdsText: false,
    call: ({ deliveryId, to, reasonCode }, context) =>
      answered(context, { words: ['simulate', ...flags({ to, reason: reasonCode })], args: [deliveryId] }, asRecord),
  }),
  tool({
    ...sandbox,
    name: 'sandbox_clock',
    description: "Shows or moves the sandbox's clock; everything due in between happens.",
    input: z
      .strictObject({
        advance: z.string().max(40).describe('Such as 25h').optional(),
        set: z.string().max(40).describe('RFC 3339').optional(),
      })
      .refine(({ advance, set }) => advance === undefined || set === undefined, 'must have advance or set, not both'),
    output: { now: text, scale: { type: 'number' } },
    holdsText: false,
    call: ({ advance, set }, context) => {
      const move = advance !== undefined ? ['advance', advance] : set !== undefined ? ['set', set] : []
      return answered(context, { words: ['sandbox', 'clock'], args: move }, asRecord)
    },
  }),
  tool({
    ...sandbox,
    name: 'sandbox_faults',
    description: 'Shows or sets faults of the sandbox: an outage, rules for requests and webhooks; clear ends them.',
    input: z.strictObject({
      outage: z.boolean().optional(),
      rules: z.array(Body).max(100).describe('[{operation, force, hooks, probability, times}]').optional(),
      seed: z.int().min(0).optional(),
      clear: z.literal(true).optional(),
    }),
    output: { outage: bool, rules: list },
    holdsText: false,
    call: ({ outage, rules, seed, clear }, context) => {
      const switches = [
        ...(clear ? ['--clear'] : []),
        ...(outage === undefined ? [] : [outage ? '--outage' : '--no-outage']),
        ...(rules === undefined ? flags({ seed }) : ['--file=-']),
      ]
      const stdin = rules === undefined ? undefined : JSON.stringify({ rules, seed })
      return answered(context, { words: ['sandbox', 'faults', ...switches], stdin }, asRecord)
    },
  }),
  tool({
    ...sandbox,
    name: 'sandbox_snapshot',
    description: "Lists, saves or restores copies of the sandbox's state. Restoring replaces the state.",
    input: z
      .strictObject({
        action: z.enum(['list', 'save', 'restore']),
        name: z.string().min(1).max(64).regex(/^[^-]/, 'must not begin with a dash').optional(),
      })
      .refine(({ action, name }) => action === 'list' || name !== undefined, 'must have a name'),
    output: { snapshots: list, name: text, deliveries: { type: 'number' } },
    hints: { ...hints, destructive: true },
    holdsText: false,
    call: ({ action, name }, context) =>
      answered(
        context,
        { words: ['sandbox', 'snapshot', action], args: action === 'list' || name === undefined ? [] : [name] },
        (value) => (Array.isArray(value) ? { snapshots: value } : asRecord(value)),
      ),
  }),
  tool({
    ...sandbox,
    name: 'receiver_test',
    description: 'Tests a webhook receiver with valid, forged, stale, repeated and reordered events.',
    input: z.strictObject({
      to: Url,
      stateUrl: z.string().max(2_048).describe("Receiver's state, with {deliveryId}").optional(),
      confirm,
    }),
    output: { passed: bool, brokenRules: list, notObservable: list, confirmation: object },
    hints: { ...hints, openWorld: true },
    holdsText: true,
    confirm: ({ to, stateUrl }) => confirmForeignReceiver(to, 'Post test events to', stateUrl),
    call: ({ to, stateUrl }, context) =>
      answered(
        context,
        { words: ['webhooks', 'test', `--to=${to}`, ...flags({ 'state-url': stateUrl })] },
        (value) => ({
          ...only(value, ['passed', 'responded', 'notObservable']),
          brokenRules: asList(asRecord(value).brokenRules).map((rule) =>
            only(rule, ['rule', 'title', 'advice', 'reason']),
          ),
        }),
      ),
  }),
]
