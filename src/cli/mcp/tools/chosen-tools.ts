import { UsageError } from '../../../contract/index.js'
import { accountName } from '../../../profiles/index.js'
import { type Tool, type ToolContext, type ToolGroup, toolGroups } from '../tool.js'
import { readTools } from './read-tools.js'
import { remoteSandboxTools, sandboxTools } from './sandbox-tools.js'
import { writeTools } from './write-tools.js'

/** The choice of tools on the command line. */
interface ToolChoice {
  readOnly: boolean
  allowWrites: boolean
  /** Only these groups. */
  groups: readonly string[] | undefined
}

/**
 * The tools of an account. Those that are not allowed are absent: without `allowWrites` nothing is written but to a sandbox
 * of this user, and only such a sandbox has the tools that control it.
 *
 * @throws UsageError for a group that is unknown or not allowed
 */
export function chosenTools(choice: ToolChoice, account: ToolContext['account']): Tool[] {
  const { environment, isOwnSandbox } = account
  const usual: ToolGroup[] = isOwnSandbox
    ? ['read', 'write', 'sandbox']
    : ['read', ...(choice.allowWrites ? ['write' as const] : [])]
  const groups = choice.readOnly ? (['read'] as const) : (choice.groups?.map(groupOf) ?? usual)
  const refuse = (group: ToolGroup, why: string, hint: string) => {
    if (groups.some((chosen) => chosen === group)) throw new UsageError(`--tools ${group}: ${why}.`, { hint })
  }
  if (!isOwnSandbox && !choice.allowWrites)
    refuse(
      'write',
      environment === 'local'
        ? `${account.baseUrl} did not prove that it is your sandbox`
        : `${accountName(account)} is ${environment}`,
      'Allow it with --allow-writes.',
    )
  if (environment === 'production')
    refuse('sandbox', `${accountName(account)} is production`, 'Choose a sandbox profile with -P.')
  const all = [...readTools, ...writeTools, ...sandboxTools]
  return all.filter(({ group, name }) => {
    if (!groups.some((chosen) => chosen === group)) return false
    return group !== 'sandbox' || isOwnSandbox || remoteSandboxTools.includes(name)
  })
}

function groupOf(name: string): ToolGroup {
  const group = toolGroups.find((known) => known === name.trim())
  if (group !== undefined) return group
  throw new UsageError(`--tools: "${name.slice(0, 40)}" is not a group of tools.`, {
    hint: `Expected ${toolGroups.join(', ')}, separated by commas.`,
  })
}
