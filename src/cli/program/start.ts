import packageJson from '../../../package.json' with { type: 'json' }
import { ownProcess, type ProcessContext } from '../process/context.js'
import { silenceSqliteWarning } from '../process/warnings.js'
import { commands } from './commands.generated.js'
import { main } from './main.js'
import { type Program, parseManifest } from './program.js'

/** The program as npm installs it and as it is packed into its own executable; the manifest is read on demand. */
export function start(argv: string[], readManifest: () => string): Promise<void> {
  silenceSqliteWarning()
  // With DEBUG, oclif would print every argument, including keys typed by mistake.
  delete process.env.DEBUG
  return run(argv, readManifest, ownProcess())
}

/** Runs the program in a context that the caller provides, whose `exit` gets the exit code. */
export function run(argv: string[], readManifest: () => string, context: ProcessContext): Promise<void> {
  const manifest = () => parseManifest(readManifest())
  const program = { packageJson, commands, manifest } as unknown as Program
  context.run = (words, inner) => main(words, program, inner)
  return main(argv, program, context)
}
