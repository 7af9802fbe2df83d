import { isSet } from '../process/colour.js'
import type { ProcessContext } from '../process/context.js'
import { findProgram } from '../process/find-program.js'

/** Commands that print something to read. Others change something, or print what happens as it happens. */
const paged: ReadonlySet<string> = new Set([
  'alias:list',
  'api',
  'capabilities',
  'deliveries:get',
  'deliveries:list',
  'deliveries:proof',
  'doctor',
  'drift',
  'drivers:get',
  'drivers:list',
  'events:list',
  'explain',
  'health',
  'installations:get',
  'installations:list',
  'openapi',
  'profiles:list',
  'profiles:show',
  'report',
  'sandbox:attempts',
  'sandbox:endpoints:list',
  'sandbox:inspect',
  'sandbox:magic',
  'sandbox:requests',
  'sandbox:snapshot:list',
  'sandbox:status',
  'teams:list',
  'webhooks:gaps',
  'webhooks:log',
])

/**
 * The command line of the pager for a command: `DLV_PAGER`, `PAGER`, or `less`. `undefined` if stdout is no terminal, the
 * command is not one to read, nobody can press keys, or the user wants none.
 */
export function pagerFor(
  id: string | undefined,
  noPager: boolean,
  noInput: boolean,
  context: ProcessContext,
): { command: string; screen: { rows: number; columns: number } } | undefined {
  const { env, stdout } = context
  const { rows, columns } = stdout
  if (id === undefined || !paged.has(id) || noPager || noInput) return undefined
  if (stdout.isTTY !== true || rows === undefined || columns === undefined) return undefined
  // Opening a standard input that is not used costs milliseconds.
  if (context.stdin.isTTY !== true) return undefined
  if (isSet(env.CI) || isSet(env.DLV_NO_INPUT) || isSet(env.DLV_ACCESSIBLE) || env.TERM === 'dumb') return undefined
  const asked = env.DLV_PAGER ?? env.PAGER
  if (asked === '' || asked === 'cat') return undefined
  const command = asked ?? (findProgram('less', env) === undefined ? undefined : 'less -FRX')
  return command === undefined ? undefined : { command, screen: { rows, columns } }
}
