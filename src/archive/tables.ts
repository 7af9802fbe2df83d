/** The tables of the archive, which the database, `dlv query --schema` and docs/history.md are made from. */

/** `time` is RFC 3339 in UTC as text in SQLite and `timestamptz` in PostgreSQL; `flag` is 0 or 1, and `boolean` there. */
export type ColumnType = 'text' | 'integer' | 'real' | 'time' | 'flag' | 'json' | 'bytes'

export interface Column {
  readonly type: ColumnType
  readonly about: string
  readonly isRequired?: true
}

export interface Table {
  readonly about: string
  /** The database file that it is in: personal data has a file of its own. */
  readonly file: 'archive' | 'people'
  readonly columns: Readonly<Record<string, Column>>
  /** The columns that identify a row. */
  readonly key: readonly string[]
  /** Columns by which rows are looked up, besides the key. */
  readonly indexes?: readonly (readonly string[])[]
  /** Whether SQLite stores the rows in the order of the key, without a row id: for short rows, it halves them. */
  readonly isOrdered?: true
}

const text = (about: string) => ({ type: 'text', about }) as const
const integer = (about: string) => ({ type: 'integer', about }) as const
const time = (about: string) => ({ type: 'time', about }) as const
const flag = (about: string) => ({ type: 'flag', about }) as const
const json = (about: string) => ({ type: 'json', about }) as const
const required = <Given extends Column>(column: Given) => ({ ...column, isRequired: true }) as const

const deliveryId = required(text('The delivery.'))

export const tables = {
  deliveries: {
    about: 'Each delivery as it was last seen.',
    file: 'archive',
    key: ['delivery_id'],
    indexes: [['client_order_reference'], ['created_at'], ['status', 'created_at'], ['store_reference', 'created_at']],
    columns: {
      delivery_id: required(text('The id of the service, such as `del_1`.')),
      client_order_reference: text('Your own reference of the order.'),
      status: required(text('The newest status.')),
      status_reason_code: text('Why it has the newest status: of a return, the view `failures` has the reason.'),
      status_since: time('When it got this status.'),
      store_reference: text('The store that it comes from.'),
      postal_code: text('The ZIP code of the dropoff.'),
      state: text('The state of the dropoff, two letters.'),
      installation_code: text('The installation of the dropoff.'),
      gate: text('The gate of the installation, if the service returns it.'),
      driver_id: text('The driver who has it, or had it last.'),
      currency: text('The currency of all its amounts, such as `USD`.'),
      delivery_fee_cents: integer('The price of the delivery, in cents.'),
      tip_amount_cents: integer('The tip, in cents.'),
      cancellation_fee_cents: integer('The fee of its cancellation, in cents; of one under way, what it would be.'),
      total_price_cents: integer('The sum that it costs, in cents, with the tip; of a cancelled one, the fee.'),
      created_at: time('When the order was accepted by the service.'),
      updated_at: time('When it last changed, as the service says.'),
      accepted_at: time('When it first was `accepted`.'),
      assigned_at: time('When a driver was last assigned; `status_history` has the first time.'),
      at_store_at: time('When a driver was last at the store.'),
      picked_up_at: time('When the package was picked up.'),
      at_door_at: time('When a driver was last at the door.'),
      ended_at: time('When it was delivered, or ended otherwise.'),
      delivered_at: time('When it was first delivered.'),
      outcome: text(
        'How it ended: `delivered`, `failed` (also what returns or has returned to the store), `cancelled` or `expired`; or `active`.',
      ),
      end_reason_code: text('Why it failed, was cancelled or expired.'),
      furthest_status: text('The last status on its way before it failed, was cancelled or expired, or `none`.'),
      time_to_assign_ms: integer('Milliseconds from `accepted` to the first driver.'),
      to_store_ms: integer('Milliseconds from the last driver to the store.'),
      pickup_dwell_ms: integer('Milliseconds at the store.'),
      drive_ms: integer('Milliseconds from the store to the door.'),
      door_time_ms: integer('Milliseconds at the door.'),
      return_ms: integer('Milliseconds from the failure back to the store.'),
      recovery_ms: integer('Milliseconds from `dispatch_failed` or `reassigning` to the next driver.'),
      had_dispatch_trouble: flag('Whether it was `dispatch_failed` or `reassigning`.'),
      is_scheduled: flag('Whether it was `scheduled`.'),
      first_eta: time('The first estimated arrival at the dropoff.'),
      newest_eta: time('The newest estimated arrival at the dropoff.'),
      window_start: time('The start of its delivery window, as far as it is known.'),
      window_end: time('The end of its delivery window, as far as it is known.'),
      promised_by: time('The first promise: of a file, of the quote, of the window, or the first estimated arrival.'),
      promise_source: text('Where the promise is from: `file`, `quote`, `window` or `firstEta`.'),
      position_at: time("When the driver's newest position was measured."),
      proofs: json('The types of the proofs so far, as an array.'),
      required_proofs: json('The types of the proofs that it must have, as an array.'),
      livemode: flag('Whether it is of production.'),
      steps: json('Its statuses with their times and reasons, oldest first, as an array of arrays.'),
      seen_at: required(time('The time of the event or response that this row is from.')),
      seen_event_id: text('The event that this row is from.'),
      value_times: json('The times of the values that are older than `seen_at`, by column.'),
    },
  },
  events: {
    about: 'Each event that the service listed or sent.',
    file: 'archive',
    key: ['event_id'],
    indexes: [['occurred_at'], ['delivery_id', 'occurred_at']],
    columns: {
      event_id: required(text('The id of the event, equal to the header `webhook-id`.')),
      event_type: required(text('What happened, such as `delivery.delivered`.')),
      occurred_at: required(time('When it happened.')),
      first_seen_at: required(time('When the archive first read it.')),
      received_at: time('When a listener received its webhook.'),
      delivery_id: text('The delivery that it is about.'),
      previous_status: text('The status before it.'),
      delivery_attempts: integer('How often its webhook was sent.'),
      last_delivery_status: text('How sending its webhook went.'),
      last_attempt_at: time('When its webhook was last sent.'),
      livemode: flag('Whether it is of production.'),
    },
  },
  event_counts: {
    about: 'The number of events of each hour, by how their webhooks went.',
    file: 'archive',
    key: ['hour', 'delivery_attempts', 'last_delivery_status'],
    isOrdered: true,
    columns: {
      hour: required(text('The hour in UTC, such as `2026-11-23T16`.')),
      delivery_attempts: required(integer('How often the webhook of each was sent.')),
      last_delivery_status: required(text('How sending it went; empty if that is not known.')),
      events: required(integer('The number of events.')),
      received: required(integer('How many of them a listener received.')),
    },
  },
  status_history: {
    about: 'Each status that a delivery had.',
    file: 'archive',
    key: ['delivery_id', 'occurred_at', 'status'],
    isOrdered: true,
    columns: {
      delivery_id: deliveryId,
      occurred_at: required(time('When it got the status.')),
      status: required(text('The status.')),
      status_reason_code: text('Why.'),
    },
  },
  locations: {
    about: 'Each position of a driver on the way with a delivery.',
    file: 'archive',
    key: ['delivery_id', 'measured_at'],
    isOrdered: true,
    columns: {
      delivery_id: deliveryId,
      measured_at: required(time('When the position was measured.')),
      driver_id: text('The driver.'),
      latitude: { type: 'real', about: 'Degrees north.' },
      longitude: { type: 'real', about: 'Degrees east.' },
    },
  },
  proofs: {
    about: 'Each proof of delivery.',
    file: 'archive',
    key: ['delivery_id', 'position'],
    isOrdered: true,
    columns: {
      delivery_id: deliveryId,
      position: required(integer('Its place among the proofs of the delivery, from 1.')),
      type: required(text('What it is, such as `photo`.')),
      stage: text('Where it was taken, such as `dropoff`.'),
      captured_at: time('When it was taken.'),
    },
  },
  drivers: {
    about: 'Each driver that a delivery had. Names and phone numbers are in `people`.',
    file: 'archive',
    key: ['driver_id'],
    isOrdered: true,
    columns: {
      driver_id: required(text('The id of the driver.')),
      vehicle_description: text('The vehicle.'),
      first_seen_at: required(time('The time of the first event with this driver.')),
      last_seen_at: required(time('The time of the newest event with this driver.')),
    },
  },
  installation_changes: {
    about: 'Each event about the access to an installation.',
    file: 'archive',
    key: ['event_id'],
    indexes: [['installation_code', 'occurred_at']],
    columns: {
      event_id: required(text('The event.')),
      installation_code: text('The installation.'),
      event_type: required(text('What changed.')),
      occurred_at: required(time('When it was announced.')),
      effective_at: time('From when on it holds, if the event says so.'),
      summary: text('The change in the words of the event, if it has some.'),
    },
  },
  orders: {
    about: 'Each order that dlv sent or changed from this machine.',
    file: 'archive',
    key: ['client_order_reference'],
    columns: {
      client_order_reference: required(text('Your own reference of the order.')),
      sent_at: time('When it was sent; empty for an order of another machine that dlv changed.'),
      source_file: text('The file that it is from.'),
      source_row: integer('The line of the file that it begins on, or its row in the sheet.'),
      idempotency_key: text('The key that it was sent with.'),
      quote_id: text('The quote that it was created with.'),
      quoted_eta: time('The arrival that the quote promised.'),
      window_start: time('The start of the window that it asked for.'),
      window_end: time('The end of the window that it asked for.'),
      installation_code: text('The installation that it goes to.'),
      package: json('What it asked for as the package; `order_texts` has the description and the items.'),
      verification: json('The checks that it asked for.'),
    },
  },
  syncs: {
    about: 'Each period that the archive covers without a gap.',
    file: 'archive',
    key: ['source'],
    isOrdered: true,
    columns: {
      source: required(
        text(
          '`events`, `backfill`, `journal` or `orders`; `events until TIME` is an older period, which a gap follows.',
        ),
      ),
      from_at: required(time('The start of the period.')),
      to_at: required(time('The end of the period: how far the archive is current.')),
      position: json('Where an unfinished fill continues.'),
      clock_ahead_ms: integer('How far the clock of the service was ahead of this machine when it was last asked.'),
    },
  },
  people: {
    about: 'The person at the dropoff of each delivery.',
    file: 'people',
    key: ['delivery_id'],
    columns: {
      delivery_id: deliveryId,
      contact_name: text('The name.'),
      contact_phone: text('The phone number.'),
      address: text('The address, in one line.'),
      instructions: text('The instructions for the driver.'),
      search_text: text('Name, phone number and address as a search compares them.'),
    },
  },
  driver_people: {
    about: 'The person behind each driver.',
    file: 'people',
    key: ['driver_id'],
    isOrdered: true,
    columns: {
      driver_id: required(text('The id of the driver.')),
      name: text('The name.'),
      phone_number: text('The phone number.'),
    },
  },
  order_texts: {
    about: 'The words of each order that dlv sent or changed from this machine, which may name a person or a thing.',
    file: 'people',
    key: ['client_order_reference'],
    isOrdered: true,
    columns: {
      client_order_reference: required(text('Your own reference of the order.')),
      sent_at: required(time('When they were sent or last changed.')),
      description: text('The description of the package.'),
      items: json('The items of the package.'),
      metadata: json('The metadata.'),
    },
  },
  bodies: {
    about: 'The JSON of each event, as its webhook brings it.',
    file: 'people',
    key: ['kind', 'id'],
    indexes: [['delivery_id', 'at']],
    columns: {
      kind: required(text('`event`, or `unread` for an event that could not be read.')),
      id: required(text('The event.')),
      delivery_id: text('The delivery that it is about.'),
      at: required(time('When the event happened.')),
      body: required({ type: 'bytes', about: 'The JSON, compressed: `inflate(body)` in a query is its text.' }),
    },
  },
  settings: {
    about: 'Settings of the archive, which hold for later fills.',
    file: 'archive',
    key: ['name'],
    isOrdered: true,
    columns: {
      name: required(text('`personal`, `forgotten_before`, or `sandbox_instance`.')),
      value: required(
        text(
          '`no` for an archive without people; the time before which people are forgotten; what names the state of the sandbox.',
        ),
      ),
    },
  },
  forgotten: {
    about: 'Deliveries whose personal data was removed on request, and stays out.',
    file: 'archive',
    key: ['delivery_id'],
    isOrdered: true,
    columns: { delivery_id: deliveryId, forgotten_at: required(time('When.')) },
  },
} as const satisfies Readonly<Record<string, Table>>

export type TableName = keyof typeof tables

/** The statements that write rows, made from the tables. */

const columnsOf = (table: TableName) => Object.keys(tables[table].columns)

const insertInto = (table: TableName, verb: string) =>
  `${verb} INTO ${table} (${columnsOf(table).join(', ')}) VALUES (${columnsOf(table)
    .map(() => '?')
    .join(', ')})`

/** An insert that replaces all other columns of a row that exists. */
const upsertInto = (table: TableName) => {
  const key: readonly string[] = tables[table].key
  const others = columnsOf(table).filter((column) => !key.includes(column))
  const sets = others.map((column) => `${column} = excluded.${column}`).join(', ')
  return `${insertInto(table, 'INSERT')} ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${sets}`
}

const ofAll = (statement: (table: TableName) => string) =>
  Object.fromEntries(Object.keys(tables).map((name) => [name, statement(name as TableName)])) as Record<
    TableName,
    string
  >

/** The statements that write one row of each table. */
export const sql = { insert: ofAll((table) => insertInto(table, 'INSERT OR IGNORE')), upsert: ofAll(upsertInto) }

export const eventColumns = columnsOf('events')
export const deliveryColumns = columnsOf('deliveries')
/** To write a column writes its indexes: those that change seldom are left out of an update that does not change them. */
export const indexedColumns = ['client_order_reference', 'created_at', 'status', 'store_reference']
export const updatedColumns = deliveryColumns.filter(
  (column) => column !== 'delivery_id' && !indexedColumns.includes(column),
)
export const updateDelivery = `UPDATE deliveries SET ${updatedColumns.map((column) => `${column} = ?`).join(', ')}
  WHERE delivery_id = ? AND ${indexedColumns.map((column) => `${column} IS ?`).join(' AND ')}`
