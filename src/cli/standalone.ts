import manifest from '../../oclif.manifest.json' with { type: 'json' }
import packageJson from '../../package.json' with { type: 'json' }
import { commands } from './commands.generated.js'
import { main } from './main.js'
import type { Program } from './program.js'

/** The program that needs no Node on the machine: everything is inside it. */
void main(process.argv.slice(2), { packageJson, commands, manifest: () => manifest } as unknown as Program)
