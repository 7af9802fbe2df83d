import packageJson from '../../../package.json' with { type: 'json' }
import { ownProcess, type ProcessContext } from '../process/context.js'
import { silenceSqliteWarning } from '../process/warnings.js'
import { commands } from './commands.generated.js'
import { main } from './main.js'
import type { Manifest, Program } from './program.js'

/** The program as npm installs it and as it lies inside its own executable; the manifest is read when it is needed. */
export function start(argv: string[], readManifest: () => string): Promise<void> {
  silenceSqliteWarning()
  // oclif would print every argument under DEBUG, keys typed by mistake included.
  delete process.env.DEBUG
  return run(argv, readManifest, ownProcess())
}

/** The same in a context that the caller provides, whose `exit` is told the exit code at the end. */
export function run(argv: string[], readManifest: () => string, context: ProcessContext): Promise<void> {
  const manifest = () => JSON.parse(readManifest()) as Manifest
  return main(argv, { packageJson, commands, manifest } as unknown as Program, context)
}
