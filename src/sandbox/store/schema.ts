/** Marks a SQLite file as one of the sandbox's: "dlvs" in ASCII. */
export const applicationId = 0x646c7673

/** The version of the schema; a file of another one is refused. */
export const formatVersion = 1

/** Columns hold what is searched or sorted by. Everything else of a row is its `record`, in JSON. */
export const schema = `
CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE deliveries (
  delivery_id TEXT NOT NULL UNIQUE,
  account_id TEXT NOT NULL,
  client_order_reference TEXT NOT NULL,
  status TEXT NOT NULL,
  shown_status TEXT,
  created_at_ms INTEGER NOT NULL,
  updated_at_ms INTEGER NOT NULL,
  due_at_ms INTEGER,
  installation_code TEXT,
  driver_id TEXT,
  is_open INTEGER NOT NULL,
  record TEXT NOT NULL
);
CREATE INDEX deliveries_by_age ON deliveries (account_id, created_at_ms, delivery_id);
CREATE INDEX deliveries_by_status ON deliveries (account_id, status, created_at_ms, delivery_id);
CREATE INDEX deliveries_by_reference ON deliveries (account_id, client_order_reference, created_at_ms);
CREATE INDEX deliveries_due ON deliveries (due_at_ms, delivery_id) WHERE due_at_ms IS NOT NULL;
CREATE INDEX deliveries_open_at ON deliveries (installation_code)
  WHERE is_open = 1 AND installation_code IS NOT NULL;
CREATE INDEX deliveries_to ON deliveries (installation_code, account_id) WHERE installation_code IS NOT NULL;
CREATE INDEX deliveries_driven ON deliveries (account_id, driver_id) WHERE is_open = 1 AND driver_id IS NOT NULL;

CREATE TABLE quotes (quote_id TEXT PRIMARY KEY, expires_at_ms INTEGER NOT NULL, record TEXT NOT NULL) WITHOUT ROWID;
CREATE INDEX quotes_by_expiry ON quotes (expires_at_ms);

CREATE TABLE installations (position INTEGER PRIMARY KEY, code TEXT NOT NULL UNIQUE, record TEXT NOT NULL);
CREATE TABLE drivers (position INTEGER PRIMARY KEY, driver_id TEXT NOT NULL UNIQUE, record TEXT NOT NULL);

-- In the order of their age: in one tree with their answers, four filled a page, and each new one rewrote several.
CREATE TABLE idempotency (
  place INTEGER PRIMARY KEY,
  account_id TEXT NOT NULL,
  key TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  body TEXT,
  in_flight_until_real_ms INTEGER,
  UNIQUE (account_id, key)
);

CREATE TABLE events (
  seq INTEGER PRIMARY KEY,
  event_id TEXT NOT NULL UNIQUE,
  event_type TEXT NOT NULL,
  occurred_at_ms INTEGER NOT NULL,
  account_id TEXT NOT NULL,
  livemode INTEGER NOT NULL,
  delivery_id TEXT,
  body TEXT NOT NULL,
  hooks TEXT,
  attempts INTEGER NOT NULL DEFAULT 0,
  last_attempt_at_ms INTEGER,
  delivery_status TEXT NOT NULL,
  is_delivered INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX events_by_time ON events (account_id, occurred_at_ms, seq);
-- What was not delivered is found among many of one type without reading their rows.
CREATE INDEX events_by_type ON events (account_id, event_type, occurred_at_ms, seq, is_delivered);
CREATE INDEX events_by_outcome ON events (account_id, is_delivered, occurred_at_ms, seq);
CREATE INDEX events_by_delivery ON events (delivery_id, occurred_at_ms, seq) WHERE delivery_id IS NOT NULL;

CREATE TABLE endpoints (
  endpoint_id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL,
  url TEXT NOT NULL,
  kind TEXT NOT NULL,
  secrets TEXT,
  disabled INTEGER NOT NULL DEFAULT 0,
  consecutive_failures INTEGER NOT NULL DEFAULT 0,
  created_at_ms INTEGER NOT NULL
);

CREATE TABLE webhooks (
  webhook_id INTEGER PRIMARY KEY,
  event_seq INTEGER NOT NULL,
  endpoint_id TEXT NOT NULL,
  lane TEXT NOT NULL,
  position INTEGER NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  due_at_ms INTEGER,
  outcome TEXT
);
CREATE INDEX webhooks_due ON webhooks (due_at_ms, position) WHERE due_at_ms IS NOT NULL;
CREATE INDEX webhooks_of_event ON webhooks (event_seq, endpoint_id);
CREATE INDEX webhooks_of_endpoint ON webhooks (endpoint_id) WHERE due_at_ms IS NOT NULL;

CREATE TABLE attempts (
  attempt_id INTEGER PRIMARY KEY,
  event_id TEXT NOT NULL,
  endpoint_id TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  scheduled_at_ms INTEGER NOT NULL,
  sent_at_ms INTEGER NOT NULL,
  status_code INTEGER,
  error TEXT,
  duration_ms INTEGER NOT NULL,
  outcome TEXT NOT NULL
);
CREATE INDEX attempts_of_event ON attempts (event_id, attempt_id);

CREATE TABLE leases (name TEXT PRIMARY KEY, owner TEXT NOT NULL, until_real_ms INTEGER NOT NULL) WITHOUT ROWID;

PRAGMA application_id = ${applicationId};
PRAGMA user_version = ${formatVersion};
`

/** Tables that a snapshot holds: everything but the leases of running processes. */
export const snapshotTables = [
  'settings',
  'deliveries',
  'quotes',
  'installations',
  'drivers',
  'idempotency',
  'events',
  'endpoints',
  'webhooks',
  'attempts',
] as const
