/** An account of the page, and what may be done with it. Holds no key and no secret. */
export interface AccountAbout {
  profile: string
  environment: 'local' | 'sandbox' | 'production'
  /** The service in words: `embedded sandbox`, or its base URL. */
  service: string
  /** The beginning of the commands that the page shows, such as `dlv` or `dlv -P acme`. */
  command: string
  /** Nothing can be changed from here. */
  readOnly: boolean
  /** A sandbox on this machine, whose clock, faults and policies can be changed. */
  hasControl: boolean
  /** Webhooks are received, or were, and are kept in a journal. */
  hasJournal: boolean
  /** The address at which webhooks are received in this process. */
  listenerUrl: string | null
  /** Tracking pages answer: those of the embedded sandbox do only while a process serves them. */
  hasTrackingPages: boolean
  clock: Clock
}

/** The subject of the page: its only account, or what several have in common. */
export interface Session extends Omit<AccountAbout, 'environment'> {
  version: string
  environment: string
  /** Each of several accounts; empty for one, whose name nothing needs. */
  accounts: AccountAbout[]
}

/** An account whose part is missing where several are shown. */
export interface MissingAccount {
  account: string
  message: string
}

/** The service's time beside this machine's. */
export interface Clock {
  /** RFC 3339. */
  now: string
  /** Seconds of the service per second here; 1 outside a sandbox. */
  scale: number
  real: string
}

/** Why a request of the page failed. */
export interface Failure {
  code: string
  message: string
  hint?: string
  /** The account that it is of, if several are shown. */
  account?: string
  requestId?: string
  fieldErrors?: { field: string; message?: string | undefined }[]
}

export interface ReportPage {
  /** Number of deliveries accepted in the period. */
  deliveries: number
  /** A whole document with its styles and charts in it. */
  html: string
  /** Parts of the period whose events were not fetched, RFC 3339. */
  gaps: readonly { from: string; to: string }[]
  /** The groupings of a report. */
  groupings: readonly string[]
  /** Those of several accounts that are not in it, with the reason. */
  missing?: readonly MissingAccount[]
}
