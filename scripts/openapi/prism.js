import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import tools from './tools.json' with { type: 'json' }

/**
 * The path of Prism's program, in the version of `tools.json`. Only this check and the bench need its many packages, so
 * it is installed here, once, and not by `npm ci`.
 */
export function prismProgram() {
  const name = '@stoplight/prism-cli'
  const folder = join(process.cwd(), 'node_modules', '.cache', `prism-${tools[name]}`)
  const program = join(folder, 'node_modules', name, 'dist', 'index.js')
  if (!existsSync(program)) {
    mkdirSync(folder, { recursive: true })
    const options = ['--prefix', folder, '--silent', '--ignore-scripts', '--no-audit', '--no-fund']
    execFileSync('npm', ['install', ...options, `${name}@${tools[name]}`], {
      stdio: 'inherit',
      shell: process.platform === 'win32',
    })
  }
  return program
}
