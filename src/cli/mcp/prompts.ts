/** A task that a person starts; its text tells the model which tools to use, in which order. */
interface Prompt {
  name: string
  title: string
  description: string
  arguments: { name: string; description: string; required: boolean }[]
  text(values: Readonly<Record<string, string>>): string
}

/** A value in the text of a prompt: on one line, quoted, and not too long. */
const quoted = (value = '') => JSON.stringify(value.slice(0, 200))

export const prompts: readonly Prompt[] = [
  {
    name: 'investigate_delivery',
    title: 'Investigate a delivery',
    description: 'Find out what happened to a delivery, and what to do',
    arguments: [{ name: 'id', description: 'Delivery id or order reference', required: true }],
    text: ({ id }) =>
      `Find out what happened to the delivery ${quoted(id)}. Read it with delivery_get, then its story with events_find and its deliveryId. If it has a statusReasonCode, use explain on it. Say in a few sentences what happened and when, whether the order can be placed again unchanged, and what has to change if not. Change nothing.`,
  },
  {
    name: 'debug_receiver',
    title: 'Debug my receiver',
    description: 'Find out why webhooks do not arrive or do not verify',
    arguments: [{ name: 'url', description: 'URL of the receiver', required: false }],
    text: ({ url }) =>
      `Find out why my webhook receiver${url === undefined ? '' : ` at ${quoted(url)}`} does not work. Start with doctor and webhook_gaps. If there is a captured request, use webhook_explain on its headers and exact body.${url === undefined ? '' : ' If receiver_test is there, run it against the receiver.'} Name the mistake, the line of code that is likely wrong, and the fix.`,
  },
  {
    name: 'plan_fault_test',
    title: 'Plan a fault test',
    description: 'Plan how to test an integration against failures',
    arguments: [{ name: 'integration', description: 'What the integration does', required: false }],
    text: ({ integration }) =>
      `Plan a test of my integration${integration === undefined ? '' : ` (${quoted(integration)})`} against failures of the service, on the sandbox only. Read dlv://magic and whoami. List the cases in the order of their risk: errors and timeouts on create, failed and returned deliveries, repeated, late and forged webhooks, an outage of the receiver. For each, name the magic value, the fault rule (sandbox_faults) or the scenario (dlv sandbox play) that causes it, and what the integration has to do. Save a snapshot before you change anything.`,
  },
]
