import { Flags, type Interfaces } from '@oclif/core'
import { createAction, type Rows } from '../../bulk/index.js'
import { refuseTestValuesOnProduction } from '../../cli/command/production-guard.js'
import { dryRunFlag, yesFlag } from '../../cli/command/write-flags.js'
import { BulkCommand, bulkFlags, rowsInQuestion } from '../../cli/deliveries/bulk-command.js'
import { schemaChecks } from '../../cli/deliveries/dry-run-rows.js'
import { orderWarnings } from '../../cli/deliveries/preflight.js'
import { silentNotices } from '../../cli/deliveries/rows/table-reading.js'
import { awaitStatus, showWatch } from '../../cli/deliveries/show-watch.js'
import { limitMs } from '../../cli/input/durations.js'
import { isReadOnce } from '../../cli/input/source.js'
import { parseStatus } from '../../cli/input/statuses.js'
import { fileReading, type SpreadsheetFlags, spreadsheetFlags } from '../../cli/orders/column-map.js'
import {
  assertTotal,
  bestQuote,
  CreatedCosts,
  OrderCosts,
  orderCostText,
  type Quoted,
} from '../../cli/orders/order-cost.js'
import { centsOf, orderFlags, priceFlags, quoteChoiceOf, windowEnds } from '../../cli/orders/order-flags.js'
import {
  admitOrder,
  completedOrder,
  type FileReading,
  KeptValues,
  orderAssignments,
  type RowCompletion,
  readOrders,
  withMissingFlags,
} from '../../cli/orders/order-input.js'
import { type OrdersToCreate, ordersToCreate } from '../../cli/orders/order-source.js'
import { changedRows } from '../../cli/orders/row-input.js'
import { Outage } from '../../cli/output/outage.js'
import type { PromiseLedger } from '../../cli/promises/promise-ledger.js'
import {
  type Client,
  type CreatedOnce,
  cheapestQuote,
  createOnce,
  idempotencyKeyOf,
  newIdempotencyKey,
  type QuoteChoice,
} from '../../client/index.js'
import { hashOf } from '../../client/internal.js'
import {
  canonicalJson,
  type Delivery,
  DeliveryCreate,
  type InputOf,
  type Quote,
  UsageError,
  withoutMarks,
} from '../../contract/index.js'
import { keyScope } from '../../profiles/index.js'
import { deliveryView, sinceText } from '../../render/delivery-view.js'
import { plainValue } from '../../render/plain-text.js'
import { quoteText } from '../../render/quote-view.js'
import { valueAt } from '../../render/view.js'
import { shellWord } from '../../shared/shell-word.js'

const notDispatched = {
  existing: 'This order already exists; nothing was dispatched.',
  replayed: 'Already created by an earlier run of this command; nothing was dispatched.',
} as const

type Order = InputOf<'createDelivery'>['body']

/** Timeout for the price that the question shows, which is optional. */
const briefly = { timeoutMs: 5_000, retries: { maxRetries: 0 } }

/** The settings for every order of the command. */
interface CreationPlan {
  completion: RowCompletion
  choice: QuoteChoice | undefined
  maxTotalCents: number | undefined
  promises: PromiseLedger
  nowMs: number
  /** The columns that are mapped to fields. */
  columns: FileReading['columns']
}

type CreationFlags = Interfaces.InferredFlags<typeof CreateDelivery.flags>

/** An order that is complete, and the key that identifies it. */
interface KeyedOrder {
  order: Record<string, unknown>
  canonical: string
  bodyHash: string
  idempotencyKey: string
}

/** Flags that are about one order. */
const singleFlags = ['idempotency-key', 'ref', 'wait'] as const

/** A single order keeps no results: its key and its reference make a repetition safe. */
function refuseResults(flags: Pick<CreationFlags, 'results' | 'rejects'>): void {
  for (const flag of ['results', 'rejects'] as const)
    if (flags[flag] !== undefined)
      throw new UsageError(`--${flag} is for the orders of a file, not for one order of flags.`, {
        hint: `Leave out --${flag}, or pass the order with --file and without ${singleFlags.map((one) => `--${one}`).join(', ')}.`,
      })
}

export default class CreateDelivery extends BulkCommand {
  static override summary = 'Create and dispatch deliveries.'
  static override description =
    'The idempotency key is derived from the order, so running the same command again after a timeout or a crash does not dispatch a second driver. A file with several orders (a JSON array, NDJSON or CSV) is a bulk run; run the same command to resume it. Without a file, a terminal asks for what the flags lack, and shows the price before it dispatches.'
  static override examples = [
    '<%= config.bin %> deliveries create',
    '<%= config.bin %> deliveries create --file order.json',
    '<%= config.bin %> deliveries create --file order.json --set dropoff.instructions="Ring twice" --wait delivered',
    '<%= config.bin %> deliveries create --store STORE-001 --to "200 Hay St, Fayetteville, NC 28301" --name "Maya Reyes" --phone +19105550123 --ref ORDER-1001',
    '<%= config.bin %> deliveries create --from ORDER-1001 --ref ORDER-1002',
    '<%= config.bin %> deliveries create --file order.json --max-price 9.75',
    'generate-order | <%= config.bin %> deliveries create --file - --jq .deliveryId',
    '<%= config.bin %> deliveries create --file orders.csv --results results.ndjson',
    '<%= config.bin %> deliveries create --file sheet.csv --map "Order no=clientOrderReference" --map "Phone=dropoff.contactPhone" --store STORE-001',
    '<%= config.bin %> deliveries create --file order.json --dry-run',
  ]
  static override flags = {
    ...orderFlags,
    ...spreadsheetFlags,
    from: Flags.string({
      summary: 'Repeat this delivery, under a new reference',
      description:
        'Copies pickup, dropoff and tip, and what else the service shows; of an order that was sent from here also window, package, checks and handling, but no descriptions. Other flags change the copy. The new reference is that of --ref, or the old one with -r2 behind it.',
      helpGroup: 'order',
      helpValue: 'ID|REFERENCE',
      exclusive: ['file'],
    }),
    quote: Flags.string({ summary: 'quoteId', helpValue: 'ID', helpGroup: 'order' }),
    ...priceFlags,
    'idempotency-key': Flags.string({
      summary: 'Idempotency key (one order only)',
      helpValue: 'KEY',
      exclusive: ['new-key'],
    }),
    'new-key': Flags.boolean({ summary: 'Use a new random idempotency key' }),
    wait: Flags.string({ summary: 'Wait for this status; exit 9 if it ends in another', helpValue: 'STATUS' }),
    ...bulkFlags,
    ...dryRunFlag,
    ...yesFlag,
  }

  async run(): Promise<Delivery | undefined> {
    const { flags } = await this.parse(CreateDelivery)
    const until = flags.wait === undefined ? undefined : parseStatus(flags.wait, '--wait', this.session.notices)
    const { file, isAsked, plan } = await this.readOrders(flags)
    if (file.kind === 'run') return this.createAll(file.rows, flags, plan)
    refuseResults(flags)
    const keyed = this.keyed(this.admitted(file.order, flags, plan), flags)
    const quoted = await this.quoted(keyed.order, plan, isAsked)
    const quote = quoted !== undefined && 'quote' in quoted ? quoted.quote : undefined
    const body = (quote === undefined ? keyed.order : { ...keyed.order, quoteId: quote.quoteId }) as unknown as Order
    if (flags['dry-run']) return this.session.dryRun('createDelivery', { body, idempotencyKey: keyed.idempotencyKey })
    if (quote !== undefined) plan.promises.chosen(quote, body.clientOrderReference)
    const question = `Dispatch ${plainValue(body.clientOrderReference) || 'this order'}`
    const details = (mayAsk: boolean) => this.costText(keyed.order, quoted, mayAsk)
    if (!(await this.session.account.confirmOnProduction(question, flags.yes, details, isAsked))) return undefined
    plan.promises.sent(body, { idempotencyKey: keyed.idempotencyKey, file: flags.file })
    // On disk before the request, like the order's key: this process may be killed.
    plan.promises.flush()
    const delivery = await this.dispatched(body, keyed, quote !== undefined, flags['new-key'])
    if (until !== undefined) return this.waitFor(delivery, until)
    await this.session.show(deliveryView, delivery)
    return delivery
  }

  /** Reads the orders that files and flags give, and the settings for all of them. */
  private async readOrders(flags: CreationFlags): Promise<Omit<OrdersToCreate, 'flags'> & { plan: CreationPlan }> {
    const nowMs = await this.session.nowMsForOrder(windowEnds(flags), flags['dry-run'])
    const choice = quoteChoiceOf(flags)
    const maxTotalCents = centsOf(flags['max-total'], '--max-total')
    const maxTipCents = centsOf(flags['max-tip'], '--max-tip')
    const account = await this.session.account.settings()
    refuseTestValuesOnProduction(account, { idempotencyKey: flags['idempotency-key'] })
    const reading = await this.reading(flags)
    const { file, isAsked, ...given } = await ordersToCreate({
      context: this.session.context,
      notices: this.session.notices,
      flags,
      reading,
      noInput: this.session.flags['no-input'],
      nowMs,
      api: () => this.session.client(),
      named: (name) => this.session.named(name, undefined, { forWrite: true, isSaid: flags['dry-run'] }),
      sentParts: async (delivery) => (await this.session.account.ledger()).sentParts(delivery),
    })
    const assignments = orderAssignments(given.flags, nowMs)
    const completion = { assignments, quoteId: flags.quote, maxTipCents, forms: reading.forms, account }
    const promises = await this.session.account.promises()
    return {
      file,
      isAsked,
      plan: { completion, choice, maxTotalCents, promises, nowMs, columns: reading.columns },
    }
  }

  /** The order as it will be sent. Throws `UsageError` for what would be refused. */
  private admitted(given: unknown, flags: CreationFlags, { completion, nowMs }: CreationPlan) {
    const order = withoutMarks(completedOrder(given, completion))
    this.sayClocks(completion.forms)
    const { clientOrderReference } = order
    this.session.isAbout({ clientOrderReference, code: valueAt(order, 'dropoff.installation.code') })
    const { maxTipCents } = completion
    admitOrder(order, this.session.notices, {
      purpose: 'order',
      maxTipCents,
      nowMs: flags['dry-run'] ? nowMs : undefined,
    })
    this.session.output.checkColumns(deliveryView)
    return order
  }

  /** The quote is not part of what identifies the order: the same command again may get another one. */
  private keyed(order: Record<string, unknown>, flags: CreationFlags): KeyedOrder {
    const canonical = canonicalJson(order)
    const bodyHash = hashOf(canonical)
    const derived = () =>
      flags['new-key'] ? newIdempotencyKey() : idempotencyKeyOf({ profile: keyScope, order, bodyHash })
    return { order, canonical, bodyHash, idempotencyKey: flags['idempotency-key'] ?? derived() }
  }

  /** The best quote, if one is chosen, has to be shown or is limited. Throws `QuoteRefusedError` above the limit. */
  private async quoted(
    order: Record<string, unknown>,
    { choice, maxTotalCents }: CreationPlan,
    isAsked: boolean,
  ): Promise<Quoted | undefined> {
    const body = order as unknown as Order
    const isWanted = maxTotalCents !== undefined || (isAsked && order.quoteId === undefined)
    if (choice === undefined && !isWanted) return undefined
    const quoted =
      choice === undefined
        ? await bestQuote(await this.session.client(), body)
        : { quote: await this.cheapestFor(body, choice) }
    if (maxTotalCents !== undefined) assertTotal(order, quoted, maxTotalCents)
    return quoted
  }

  /** The order in the question; its price is requested only if the question can be asked. */
  private async costText(order: Record<string, unknown>, quoted: Quoted | undefined, mayAsk: boolean): Promise<string> {
    const isUnknown = quoted === undefined && mayAsk && order.quoteId === undefined
    const known = isUnknown ? await bestQuote(await this.session.client(), order as unknown as Order, briefly) : quoted
    const style =
      known === undefined ? this.session.output.styleNow() : await this.session.output.serviceStyleNow({ always: true })
    return orderCostText(order, known, style)
  }

  /** Creates the delivery of an order, once. */
  private async dispatched(
    body: Order,
    { canonical, bodyHash, idempotencyKey }: KeyedOrder,
    isQuoted: boolean,
    isNewKey: boolean,
  ): Promise<Delivery> {
    const client = await this.session.client()
    const ledger = await this.session.account.ledger()
    const known = isQuoted ? { isQuoted } : { canonical }
    const create = () =>
      createOnce(client, { order: body, idempotencyKey, bodyHash, ...known }, ledger).catch((error) => {
        throw withMissingFlags(error, body)
      })
    const { clientOrderReference: reference } = body
    const hasReference = typeof reference === 'string' && reference !== ''
    const created = await this.session.sent(create, {
      look: hasReference ? `dlv deliveries get --ref ${shellWord(reference)}` : 'dlv deliveries list --from 1h',
      again: isNewKey ? `Repeat it with --idempotency-key ${idempotencyKey}, not with --new-key.` : undefined,
    })
    return this.asItIsNow(created, client)
  }

  /** The delivery of an order; if it was there before, as it is now, which is said too. */
  private async asItIsNow({ delivery, outcome }: CreatedOnce, client: Client): Promise<Delivery> {
    if (outcome === 'created') return delivery
    // The answer to a repeated request is the one from when it was created.
    const { deliveryId } = delivery
    const now = outcome === 'replayed' ? await client.getDelivery({ deliveryId }).catch(() => delivery) : delivery
    const since = sinceText(now, {
      ...this.session.output.styleNow(),
      nowMs: client.serviceNowMs() ?? this.session.nowMs(),
    })
    this.session.notices.notice(`${notDispatched[outcome]} ${since}`)
    return now
  }

  /** Executes a bulk run, or checks its rows. */
  private async createAll(given: Rows, flags: CreationFlags, plan: CreationPlan): Promise<undefined> {
    const { choice, maxTotalCents, promises, nowMs } = plan
    for (const flag of singleFlags)
      if (flags[flag] !== undefined) throw new UsageError(`--${flag} is for one order, but this file contains several.`)
    const { file = '-' } = flags
    const source = isReadOnce(this.session.context, file) ? '-' : file
    const completion = { ...plan.completion, kept: new KeptValues('order', plan.completion.forms?.clocks) }
    const rows = changedRows(given, (value) => completedOrder(value, completion), completion.kept)
    const ledger = flags['dry-run'] ? undefined : await this.session.account.ledger()
    if (source === '-' && maxTotalCents !== undefined)
      throw new UsageError('--max-total reads the orders twice, which standard input and pipes do not allow.', {
        hint: 'Save them to a file, and pass it with --file.',
      })
    const costs = new CreatedCosts()
    return this.carryOutAll(
      {
        rows: () => rows,
        look: source === '-' ? 'never' : () => this.ordersAgain(source, flags, completion),
        looksAtAll: maxTotalCents === undefined ? 'for the question' : 'always',
        source,
        question: 'Create every order of this file',
        action: (client) =>
          createAction(client, {
            profile: keyScope,
            newKeys: flags['new-key'],
            ledger,
            cheapest: choice,
            onCreated: (delivery) => costs.add(delivery),
            onSend: (order, idempotencyKey) =>
              promises.sent(order, { idempotencyKey, file: source === '-' ? undefined : source }),
            onQuote: (quote, { clientOrderReference }) => promises.chosen(quote, clientOrderReference),
          }),
        check: schemaChecks(DeliveryCreate, { purpose: 'order', maxTipCents: completion.maxTipCents }),
        warn: orderWarnings,
        nowMs,
        effects: (client, isDryRun) => {
          if (maxTotalCents !== undefined)
            return new OrderCosts({ client, most: Number.POSITIVE_INFINITY }, maxTotalCents)
          return new OrderCosts(isDryRun ? undefined : { client, most: rowsInQuestion })
        },
        spent: () => costs.text,
        kept: completion.kept,
        columns: plan.columns,
      },
      flags,
    )
  }

  private async reading(flags: SpreadsheetFlags & Partial<CreationFlags>): Promise<FileReading> {
    const { context, notices } = this.session
    const reading = await fileReading(flags, DeliveryCreate, { context, notices })
    const keepsResults = flags.results !== undefined || flags.rejects !== undefined
    return { ...reading, asRows: keepsResults && singleFlags.every((flag) => flags[flag] === undefined) }
  }

  /** The orders of a file once more, to look at them before the run. */
  private async ordersAgain(source: string, flags: CreationFlags, completion: RowCompletion): Promise<Rows> {
    const reading = { ...(await this.reading(flags)), ...silentNotices }
    const file = await readOrders(this.session.context, { file: source }, reading)
    if (file.kind === 'single') throw new UsageError(`${source} has changed while it was read.`)
    return changedRows(file.rows, (value) => completedOrder(value, completion), completion.kept)
  }

  /** The cheapest quote, which is shown. */
  private async cheapestFor(order: Order, choice: QuoteChoice): Promise<Quote> {
    const quote = await cheapestQuote(await this.session.client(), order, choice)
    this.session.notices.notice(
      `Cheapest quote: ${quoteText(quote, await this.session.output.serviceStyleNow({ always: true }))}.`,
    )
    return quote
  }

  /** People see the card and then what happens; a script gets one result, the delivery at the end of the wait. */
  private async waitFor(delivery: Delivery, until: string): Promise<Delivery> {
    const { deliveryId } = delivery
    const signal = this.session.takeSignals()
    const options = {
      until,
      forMs: limitMs([this.session.flags.timeout, '--timeout']),
      signal,
      nowMs: this.session.context.nowMs,
      isKnown: true,
      outage: new Outage(this.session.notices),
    }
    if (this.session.output.forPeople) await this.session.show(deliveryView, delivery)
    else this.session.notices.notice(`${deliveryId} is ${delivery.status}; waiting for ${until}.`)
    const client = await this.session.client({ limit: 'watching', signal })
    if (this.session.output.forPeople) {
      this.session.endWith(
        await showWatch(client, deliveryId, options, this.session.output, this.session.notices, true),
      )
      return delivery
    }
    this.session.endWith(await awaitStatus(client, deliveryId, options, this.session.notices))
    const now = signal.aborted ? delivery : await client.getDelivery({ deliveryId }, briefly).catch(() => delivery)
    await this.session.show(deliveryView, now)
    return now
  }
}
