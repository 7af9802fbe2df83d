import packageJson from '../../../package.json' with { type: 'json' }
import { commands } from './commands.generated.js'
import { main } from './main.js'
import type { Manifest, Program } from './program.js'

/** The program as npm installs it and as it lies inside its own executable; the manifest is read when it is needed. */
export function start(argv: string[], readManifest: () => string): Promise<void> {
  const manifest = () => JSON.parse(readManifest()) as Manifest
  return main(argv, { packageJson, commands, manifest } as unknown as Program)
}
