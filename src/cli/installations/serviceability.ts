import type { Client } from '../../client/index.js'
import {
  cargoOf,
  type InputOf,
  readRequest,
  type Serviceability,
  ServiceabilityRequest,
  UsageError,
  withoutMarks,
} from '../../contract/index.js'
import { checkField, parseAssignment, withAssignments, withValue } from '../input/assignments.js'
import { parseTime } from '../input/times.js'
import type { Notices } from '../output/notices.js'
import { type InstallationNames, unnamedBases, unnamedInstallation } from './order-names.js'

/** Flags that describe the stop to check, and the installation code. */
interface StopFlags {
  code?: string | undefined
  set?: string[] | undefined
  to?: string | undefined
  building?: string | undefined
  'delivery-point'?: string | undefined
  contains?: string[] | undefined
  at?: string | undefined
}

/**
 * The request of a serviceability check. Of a given order it uses the relevant parts; flags override it, and `--set`
 * overrides both. Throws `UsageError` if no stop is described.
 */
export function serviceabilityRequest(
  given: Readonly<Record<string, unknown>>,
  flags: StopFlags,
  nowMs: number,
): Record<string, unknown> {
  const fields = {
    'dropoff.installation.code': flags.code,
    'dropoff.address': flags.to,
    'dropoff.unit.buildingNumber': flags.building,
    'dropoff.unit.deliveryPoint': flags['delivery-point'],
    'package.contains': flags.contains === undefined ? undefined : cargoOf(flags.contains, '--contains'),
    deliverAt: flags.at === undefined ? undefined : parseTime(flags.at, '--at', nowMs),
  }
  const described = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .reduce((made, [path, value]) => withValue(made, path, value), { ...given })
  for (const text of flags.set ?? [])
    checkField(ServiceabilityRequest, parseAssignment(text, 'input'), '--set', 'a serviceability check')
  const {
    dropoff,
    package: cargo,
    deliverAt,
  } = withoutMarks(readRequest(ServiceabilityRequest, withAssignments(described, flags.set ?? [], 'input')))
  if (dropoff === undefined)
    throw new UsageError('Expected an installation code, --to ADDRESS or --file FILE.', {
      hint: 'dlv installations list shows the codes.',
    })
  return {
    dropoff,
    ...(cargo === undefined ? {} : { package: cargo }),
    ...(deliverAt === undefined ? {} : { deliverAt }),
  }
}

/** A stop without a code is an ordinary address, even at an installation that takes no deliveries. */
export async function warnOfInstallation(
  notices: Notices,
  client: Client,
  body: Record<string, unknown>,
  answer: Serviceability,
  names: InstallationNames,
): Promise<void> {
  if (unnamedBases(body) === undefined) return
  const unnamed = unnamedInstallation(body, await names.list.load())
  if (unnamed === undefined) return
  const { codes, message } = unnamed
  const [code, another] = codes
  if (code === undefined || another !== undefined || !answer.serviceable) return notices.warn(`${message}.`)
  const named = withValue(body, 'dropoff.installation.code', code)
  const { serviceable, reasonCode } = await client.checkServiceability({
    body: named,
  } as unknown as InputOf<'checkServiceability'>)
  notices.warn(`${message}. With it, the stop ${serviceable ? 'can be served' : `cannot be served: ${reasonCode}`}.`)
}
