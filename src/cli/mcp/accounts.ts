import type { CallToolResult } from '@modelcontextprotocol/server'
import { UsageError } from '../../contract/index.js'
import type { Confirmations } from './confirmation.js'
import { refusal, toolResult } from './resources.js'
import type { Merging, Tool, ToolAnswer, ToolContext } from './tool.js'

/** An account that an agent works on, with what it may do there. */
export interface AgentAccount {
  /** The profile; `undefined` if it is the only account, which nothing has to name. */
  name: string | undefined
  context: ToolContext
  tools: readonly Tool[]
  tokens: Confirmations
}

/** A tool, and the accounts that have it: the same tool may be allowed for some of several only. */
export interface OfferedTool {
  tool: Tool
  accounts: readonly AgentAccount[]
}

export function offeredTools(accounts: readonly AgentAccount[]): OfferedTool[] {
  const names = [...new Set(accounts.flatMap(({ tools }) => tools.map(({ name }) => name)))]
  return names.map((name) => {
    const having = accounts.filter(({ tools }) => tools.some((tool) => tool.name === name))
    const tool = having[0]?.tools.find((one) => one.name === name)
    if (tool === undefined) throw new UsageError(`No tool ${name}.`)
    return { tool, accounts: having }
  })
}

/** Whether the accounts are named: then reads can be of one or of all, and what changes something takes one. */
export function areNamed(accounts: readonly AgentAccount[]): boolean {
  return accounts.some(({ name }) => name !== undefined)
}

const namesOf = (accounts: readonly AgentAccount[]) => accounts.flatMap(({ name }) => name ?? [])

/** The argument `account` of a tool; `undefined` if there is nothing to choose. */
export function accountArgument({ tool, accounts }: OfferedTool) {
  if (!areNamed(accounts) || tool.ofAll === 'same') return undefined
  const description = tool.hints.readOnly ? 'One account; all of them if left out' : 'The account that is changed'
  return { schema: { type: 'string', enum: namesOf(accounts), description }, isRequired: !tool.hints.readOnly }
}

/** The account of a call, the accounts that a read asks, or the refusal of a call that names none or another. */
export function accountsAsked(
  { tool, accounts }: OfferedTool,
  given: unknown,
): { one: AgentAccount } | { all: readonly AgentAccount[] } | { refused: CallToolResult } {
  const [first] = accounts
  if (first === undefined) return { refused: refusal('INVALID_ARGUMENTS', 'No account has this tool.') }
  if (!areNamed(accounts) || tool.ofAll === 'same') return { one: first }
  const names = namesOf(accounts).join(', ')
  if (given === undefined && tool.hints.readOnly) return { all: accounts }
  if (given === undefined)
    return {
      refused: refusal('INVALID_ARGUMENTS', `account is missing: it is one of ${names}. Nothing was sent.`),
    }
  const named = accounts.find(({ name }) => name === given)
  if (named !== undefined) return { one: named }
  const shown = JSON.stringify(given)?.slice(0, 80)
  return { refused: refusal('INVALID_ARGUMENTS', `account: ${shown} has no ${tool.name}; expected one of ${names}.`) }
}

interface Answered {
  account: string
  answer: ToolAnswer
}

interface CallOfAll {
  cancellable(context: ToolContext): ToolContext
  signal: AbortSignal
  unmask: boolean
}

/** The answer of several accounts to a read, each asked by itself. One that fails hides nothing of the others. */
export async function answerOfAll(
  tool: Tool,
  input: Record<string, unknown>,
  accounts: readonly AgentAccount[],
  { cancellable, signal, unmask }: CallOfAll,
): Promise<CallToolResult> {
  if (tool.callTogether !== undefined) {
    const named = accounts.map(({ name: account = '', context }) => ({ account, context }))
    return toolResult(tool, await tool.callTogether(input, named, signal), unmask)
  }
  const all = accounts.map(async ({ name: account = '', context }): Promise<Answered> => {
    try {
      return { account, answer: await tool.call(input, cancellable(context)) }
    } catch (error) {
      if (!(error instanceof UsageError)) throw error
      return { account, answer: { error: { code: 'USAGE', message: error.message } } }
    }
  })
  return toolResult(tool, merged(tool.ofAll, await Promise.all(all), input), unmask)
}

function merged(merging: Merging | undefined, all: readonly Answered[], input: Record<string, unknown>): ToolAnswer {
  const answered = all.flatMap(({ account, answer }): AnsweredData[] =>
    'data' in answer ? [{ account, ...answer.data }] : [],
  )
  const failed = all.flatMap(({ account, answer }) => ('error' in answer ? [{ account, ...answer.error }] : []))
  const [first] = failed
  if (answered.length === 0 && first !== undefined) {
    const { account, message, ...error } = first
    if (merging === 'owner' && failed.every(isMissing))
      return { error: { ...error, message: `${message} Asked: ${failed.map((one) => one.account).join(', ')}.` } }
    return { error: { ...error, message: `${account}: ${message}`, failed } }
  }
  const some = merging === 'owner' ? failed.filter((one) => !isMissing(one)) : failed
  const rest = some.length === 0 ? {} : { failed: some }
  if (merging === 'owner') return ownerAmong(answered, rest)
  if (merging === 'verdict') return { data: { ...(answered.find(({ ok }) => ok === true) ?? answered[0]), ...rest } }
  if (typeof merging !== 'object') return { data: { accounts: answered, ...rest } }
  return { data: { ...joined(merging, answered, input), ...rest } }
}

type AnsweredData = { account: string } & Record<string, unknown>

/** Whether the account has no such delivery, which is no failure where others may have it. */
function isMissing({ code, status }: { code: string } & Record<string, unknown>): boolean {
  return status === 404 || /NOT_FOUND/.test(code)
}

function ownerAmong(answered: readonly AnsweredData[], rest: object): ToolAnswer {
  const [owner, ...others] = answered
  if (others.length === 0) return { data: { ...owner, ...rest } }
  const candidates = answered.map(({ account, deliveryId }) => ({ account, deliveryId }))
  const names = candidates.map(({ account }) => account).join(', ')
  return {
    error: { code: 'AMBIGUOUS', message: `Several accounts have it: ${names}. Name one as account.`, candidates },
  }
}

/** The rows of all as one list, each with its account, in the list's own order. */
function joined(
  { rows: member, by, isNewestFirst }: Extract<Merging, object>,
  answered: readonly AnsweredData[],
  { limit }: Record<string, unknown>,
): Record<string, unknown> {
  const listed = ({ account, ...data }: AnsweredData) =>
    (Array.isArray(data[member]) ? data[member] : []).map((row: object) => ({ account, ...row }) as AnsweredData)
  const all = answered.flatMap(listed)
  const keyOf = (row: AnsweredData) => String(row[by ?? ''] ?? '')
  const compare = (one: AnsweredData, other: AnsweredData) =>
    keyOf(one) < keyOf(other) ? -1 : Number(keyOf(one) > keyOf(other))
  if (by !== undefined) all.sort((one, other) => (isNewestFirst ? compare(other, one) : compare(one, other)))
  const shown = typeof limit === 'number' ? all.slice(0, limit) : all
  const notice = answered.map((one) => one.notice).find((text) => typeof text === 'string')
  const totals = answered.map(({ total }) => total).filter((total) => typeof total === 'number')
  return {
    [member]: shown,
    ...(totals.length > 0
      ? { total: totals.reduce((sum, total) => sum + total, 0) }
      : { more: shown.length < all.length || answered.some(({ more }) => more === true) }),
    ...(answered.some((one) => 'notice' in one) ? { notice: notice ?? null } : {}),
  }
}
