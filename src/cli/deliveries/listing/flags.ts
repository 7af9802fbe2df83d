import { Flags, type Interfaces } from '@oclif/core'
import { UsageError } from '../../../contract/index.js'
import { type SearchText, searchTextOf, trimmed } from '../../../shared/texts.js'
import { freshFlag } from '../../archive/current.js'
import { repeatable } from '../../command/write-flags.js'
import { parseStatus } from '../../input/contract-words.js'
import { unknownWordError } from '../../input/known-word.js'
import type { Notices } from '../../output/notices.js'
import { listFlags } from '../../output/paged-list.js'
import { judgingFlags } from '../problem-rules.js'
import { type Addable, addable, type Listing, sortKeys } from './filters.js'

/** Flags of `deliveries list`. */
export const deliveryListFlags = {
  from: Flags.string({ summary: 'Created at or after: 2h, 3d, yesterday (default 24h)', helpValue: 'TIME' }),
  to: Flags.string({ summary: 'Created before (default now)', helpValue: 'TIME' }),
  status: Flags.string({
    char: 's',
    summary: 'Only these statuses: failed,cancelled; repeatable',
    helpValue: 'STATUS',
    ...repeatable,
  }),
  active: Flags.boolean({ summary: 'Only deliveries that have not ended' }),
  problem: Flags.boolean({ summary: 'Only stuck, late, failed, expired or returning' }),
  store: Flags.string({ summary: 'Only from this store (pickup.storeReference)', helpValue: 'STORE' }),
  installation: Flags.string({ summary: 'Only to this installation', helpValue: 'CODE' }),
  affected: Flags.string({
    summary: 'Only what this policy event touches',
    helpValue: 'EVENT',
    exclusive: ['installation'],
  }),
  search: Flags.string({ summary: 'Only with this in reference, name, phone, address', helpValue: 'TEXT' }),
  with: Flags.string({
    summary: `Add ${addable.join(', ')}`,
    helpValue: 'PART',
    ...repeatable,
  }),
  sort: Flags.string({
    summary: `Order by ${sortKeys.join('|')}; - reverses`,
    helpValue: '[-]KEY',
  }),
  ...judgingFlags,
  fresh: freshFlag(),
  'exit-code': Flags.boolean({ summary: 'Exit 9 if there are any, for cron' }),
  ref: Flags.string({ summary: 'Only the one with this clientOrderReference', helpValue: 'REFERENCE' }),
  ...listFlags,
}

/** A minus that the parser of the command line does not take for the beginning of flags, as in `-s tore`. */
const minus = '\u2212'

/** The words of a line, in which the key after `--sort` may begin with a hyphen. */
export function withSortKey(argv: readonly string[]): string[] {
  const end = argv.indexOf('--')
  return argv.map((word, at) => {
    if (end !== -1 && at > end) return word
    return argv[at - 1] === '--sort'
      ? word.replace(/^-(?=[a-z]{2})/, minus)
      : word.replace(/^--sort=-/, `--sort=${minus}`)
  })
}

export type DeliveryListFlags = Interfaces.InferredFlags<typeof deliveryListFlags>

/** Reads the listing flags. Throws `UsageError` for a misspelt status, an unknown part or key. */
export function listingOf(flags: DeliveryListFlags, notices: Pick<Notices, 'notice'>): Listing {
  return {
    statuses: [...new Set(words(flags.status).map((name) => parseStatus(name, '--status', notices)))],
    active: flags.active,
    problem: flags.problem,
    store: flags.store,
    installation: flags.installation,
    search: flags.search === undefined ? undefined : searchOf(flags.search),
    parts: addable.filter((part) => partsOf(flags.with).includes(part)),
    sort: flags.sort === undefined ? undefined : sortOf(flags.sort),
  }
}

/** Several values of a flag, repeated or separated by commas. */
function words(given: readonly string[] | undefined): string[] {
  return (given ?? []).flatMap((text) => text.split(',')).map(trimmed)
}

function partsOf(given: readonly string[] | undefined): Addable[] {
  return words(given).map((name) => {
    const part = addable.find((known) => known === name)
    if (part === undefined) throw unknownWordError(name, addable, { flag: '--with', noun: 'a part to add' })
    return part
  })
}

function sortOf(text: string): Listing['sort'] {
  const isReversed = text.startsWith('-') || text.startsWith(minus)
  const name = isReversed ? text.slice(1) : text
  const key = sortKeys.find((known) => known === name)
  if (key === undefined) throw unknownWordError(name, sortKeys, { flag: '--sort', noun: 'an order of this list' })
  return { key, isReversed }
}

function searchOf(text: string): SearchText {
  const search = searchTextOf(text)
  if (search === undefined) throw new UsageError('--search: expected a text to look for.')
  return search
}
