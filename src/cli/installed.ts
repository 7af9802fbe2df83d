import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import packageJson from '../../package.json' with { type: 'json' }
import { commands } from './commands.generated.js'
import { main } from './main.js'
import type { Manifest, Program } from './program.js'

/** The program as npm installs it; `folder` is that of its package. */
export function start(argv: string[], folder: string): Promise<void> {
  const manifest = () => JSON.parse(readFileSync(join(folder, 'oclif.manifest.json'), 'utf8')) as Manifest
  return main(argv, { packageJson, commands, manifest } as unknown as Program)
}
