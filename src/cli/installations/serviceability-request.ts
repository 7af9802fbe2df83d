import { ServiceabilityRequest, UsageError, withoutUnsafeKeys } from '../../contract/index.js'
import { parseAssignment, withAssignments, withValue } from '../input/assignments.js'
import { parseTime } from '../input/durations.js'
import { readJson } from '../input/read.js'
import { checkCargo, checkField } from '../input/request-fields.js'
import type { ProcessContext } from '../process/context.js'

/** Flags that describe the stop to check, and the installation code. */
interface StopFlags {
  code?: string | undefined
  file?: string | undefined
  set?: string[] | undefined
  to?: string | undefined
  building?: string | undefined
  'delivery-point'?: string | undefined
  contains?: string[] | undefined
  at?: string | undefined
}

/**
 * The request of a serviceability check. Of an order in `--file` it uses the relevant parts; flags override the file,
 * and `--set` overrides both. Throws `UsageError` if no stop is described.
 */
export async function serviceabilityRequest(
  context: ProcessContext,
  flags: StopFlags,
): Promise<Record<string, unknown>> {
  const given = flags.file === undefined ? {} : withoutUnsafeKeys(await readJson(context, flags.file, '--file'))
  const fields = {
    'dropoff.installation.code': flags.code,
    'dropoff.address': flags.to,
    'dropoff.unit.buildingNumber': flags.building,
    'dropoff.unit.deliveryPoint': flags['delivery-point'],
    'package.contains': flags.contains,
    deliverAt: flags.at === undefined ? undefined : parseTime(flags.at, '--at', context.nowMs()),
  }
  const described = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .reduce((made, [path, value]) => withValue(made, path, value), given as Record<string, unknown>)
  checkCargo(flags.contains ?? [], '--contains')
  for (const text of flags.set ?? [])
    checkField(ServiceabilityRequest, parseAssignment(text), '--set', 'a serviceability check')
  const { dropoff, package: cargo, deliverAt } = withAssignments(described, flags.set ?? [])
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
