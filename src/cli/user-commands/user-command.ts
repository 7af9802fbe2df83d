import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { plainText } from '../../render/plain-text.js'
import { foldersOf } from '../../shared/user-dirs.js'
import type { ProcessContext } from '../process/context.js'
import { type Aliases, expandAlias, isUserCommandName, readAliases } from './aliases.js'

/**
 * Resolves a line that does not begin with a built-in command: returns the words of an alias, or `'done'` once an alias
 * for the shell has run; `undefined` if there is none. With `isHelp`, nothing is run, and a message says what would be.
 *
 * @throws UsageError for an alias that cannot be expanded
 */
export async function userCommand(
  argv: readonly string[],
  isBuiltIn: (name: string) => boolean,
  context: ProcessContext,
  isHelp: boolean,
): Promise<string[] | 'done' | undefined> {
  const [name = ''] = argv
  if (!isUserCommandName(name) || isBuiltIn(name)) return undefined
  const expanded = expandAlias(argv, withoutBuiltIns(readAliases(foldersOf(context.env).configDir), isBuiltIn))
  if (expanded !== undefined && 'shell' in expanded) {
    if (isHelp) context.stdout.write(`${name} is an alias for the shell: ${plainText(expanded.shell)}\n`)
    else await runProgram('/bin/sh', ['-c', expanded.shell, name, ...expanded.args], context.env, context)
    return 'done'
  }
  return expanded?.words
}

/** An alias never takes the place of a command, also of one that a newer version has brought. */
function withoutBuiltIns(aliases: Aliases, isBuiltIn: (name: string) => boolean): Aliases {
  return new Map([...aliases].filter(([name]) => !isBuiltIn(name)))
}

/** Runs a program on this terminal. Its exit code is ours; signals reach it through the terminal, or from here. */
async function runProgram(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  context: ProcessContext,
): Promise<void> {
  const child = spawn(program, args, { stdio: 'inherit', cwd: context.cwd, env })
  // With a terminal the child has the signal already, and decides what to do about it.
  context.onInterruption = (signal) => void (context.stdin.isTTY === true || child.kill(signal))
  context.exitCode = await new Promise<number>((resolve) => {
    child.on('error', (error) => {
      context.stderr.write(`error: Cannot run ${program}: ${error.message}\n`)
      resolve(1)
    })
    child.on('exit', (code, signal) => resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])))
  })
}
