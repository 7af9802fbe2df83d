import { ApiError, type UsageError } from '../../contract/index.js'
import {
  AmbiguousAccountError,
  AmbiguousReferenceError,
  type Candidate,
  UnknownReferenceError,
} from '../lookup/errors.js'
import { type AccountSession, forEachAccount } from '../session/account-session.js'
import type { Session } from '../session/session.js'

/**
 * The accounts, of several, that have the deliveries of these names, and the names that each of them has. A service that
 * does not answer hides nothing of the others: its error stands on stderr with its name.
 *
 * @throws AmbiguousAccountError if two accounts have one; UsageError if none has one and all have answered
 */
export async function accountsWith(
  outer: Session,
  profiles: readonly string[],
  names: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map(names.map((name) => [name, [] as Found[]]))
  const answered = new Set<string>()
  await forEachAccount(outer, profiles, async (account) => {
    for (const name of names) found.get(name)?.push(...(await candidatesIn(account, name)))
    answered.add(account.profile ?? '')
  })
  const owners = new Map<string, string[]>()
  for (const [name, candidates] of found) {
    const place = ({ profile }: Found) => profiles.indexOf(profile)
    const deliveries = oncePerAccount(candidates.toSorted((one, other) => place(one) - place(other)))
    const [one, another] = deliveries
    if (another !== undefined) throw new AmbiguousAccountError(name, deliveries)
    if (one !== undefined) owners.set(one.profile, [...(owners.get(one.profile) ?? []), name])
    // An account that did not answer may have it.
    else if (answered.size === profiles.length) throw unknownIn(name, profiles)
  }
  return owners
}

/** A delivery that was found, and the account that has it. */
type Found = Candidate & { mark: string }

/** A delivery is one, also if several profiles are of its account: the first of them shows it. */
function oncePerAccount(all: readonly Found[]): Candidate[] {
  const isSame = (one: Found, other: Found) => one.mark === other.mark && one.deliveryId === other.deliveryId
  return all
    .filter((one, at) => all.findIndex((other) => isSame(one, other)) === at)
    .map(({ mark: _, ...candidate }) => candidate)
}

async function candidatesIn(account: AccountSession, name: string): Promise<Found[]> {
  const candidates = await candidatesOf(account, name)
  if (candidates.length === 0) return []
  const { mark } = await account.session.account.identity()
  return candidates.map((candidate) => ({ ...candidate, mark }))
}

async function candidatesOf({ profile = '', session }: AccountSession, name: string): Promise<Candidate[]> {
  try {
    const client = await session.client()
    const { deliveryId, found } = await session.named(name, client)
    const { status } = found ?? (await client.getDelivery({ deliveryId }))
    return [{ profile, deliveryId, status }]
  } catch (error) {
    if (error instanceof UnknownReferenceError || (error instanceof ApiError && error.status === 404)) return []
    if (!(error instanceof AmbiguousReferenceError)) throw error
    return error.candidates.map(({ deliveryId, status }) => ({ profile, deliveryId, status }))
  }
}

function unknownIn(name: string, profiles: readonly string[]): UsageError {
  const where = profiles.length > 5 ? `${profiles.length} accounts` : profiles.join(', ')
  return new UnknownReferenceError(name, `in ${where}`)
}
