import type { z } from 'zod'
import type { ArchivePaths } from '../../archive/index.js'
import type { Environment, NamedSecret } from '../../profiles/index.js'
import type { RunCommand } from './inner-run.js'

export const toolGroups = ['read', 'write', 'sandbox'] as const
export type ToolGroup = (typeof toolGroups)[number]

/** The context that tools work with. */
export interface ToolContext {
  run: RunCommand
  /** Runs a command on the sandbox in this process, which keeps nothing; absent for whatever is behind a socket. */
  rehearse?: RunCommand | undefined
  account: {
    profile: string
    environment: Environment
    baseUrl: string | undefined
    /** Whether the service is the embedded sandbox, or a served one that has proved to belong to this user. */
    isOwnSandbox: boolean
  }
  /** Whether it is one of several accounts, whose tables have a column `profile`. */
  isOneOfSeveral: boolean
  /** The account's archive. @throws UsageError once the account is another one */
  archive(): ArchivePaths
  /** The flags that chose the account, for commands that a result recommends. */
  accountFlags: string
  secrets(): Promise<readonly NamedSecret[]>
  foreignSecrets(known: readonly NamedSecret[]): NamedSecret[]
  nowMs(): number
}

/** The answer of a tool: data for the model, or an error that the service or the command reported. */
export type ToolAnswer =
  | { data: Record<string, unknown> }
  | { error: { code: string; message: string } & Record<string, unknown> }

/** A question that has to be confirmed before a tool acts. */
export interface Confirmable {
  /** The question, with the cost and the environment. */
  question: string
  /** The request and its cost. */
  preview: Record<string, unknown>
}

/**
 * How the answers of several accounts become one: `same` for what is no account's, `owner` for what one of them has, `verdict`
 * for the one that holds, or a list of rows.
 */
export type Merging = 'same' | 'owner' | 'verdict' | { rows: string; by?: string; isNewestFirst?: boolean }

/** One of several accounts. */
export interface NamedContext {
  account: string
  context: ToolContext
}

export interface Tool<Input extends z.ZodObject = z.ZodObject> {
  name: string
  group: ToolGroup
  description: string
  input: Input
  /** JSON Schema of the result's members, by hand: as short as a model needs it. */
  output: Record<string, unknown>
  hints: { readOnly: boolean; destructive: boolean; idempotent: boolean; openWorld: boolean }
  /** How it answers for several accounts. Default: the answer of each, with its account. */
  ofAll?: Merging
  /** Answers for named accounts together, be it one or all of them, instead of the answer of each. */
  callTogether?(input: z.output<Input>, accounts: readonly NamedContext[], signal: AbortSignal): Promise<ToolAnswer>
  /** The result holds texts that strangers wrote, such as instructions and reasons. */
  holdsText: boolean
  /**
   * The subject to confirm, or an error that makes the question pointless; `undefined` if no confirmation is needed.
   */
  confirm?(input: z.output<Input>, context: ToolContext): Promise<Confirmable | ToolAnswer | undefined>
  call(input: z.output<Input>, context: ToolContext): Promise<ToolAnswer>
}

/** Keeps the types of a tool's input together. */
export function tool<Input extends z.ZodObject>(definition: Tool<Input>): Tool {
  return definition as unknown as Tool
}

export const readHints = { readOnly: true, destructive: false, idempotent: true, openWorld: false }

/** Short members of an output schema. */
export const text = { type: 'string' }
export const nullableText = { type: ['string', 'null'] }
export const number = { type: 'number' }
export const bool = { type: 'boolean' }
export const object = { type: 'object' }
export const list = { type: 'array', items: object }
