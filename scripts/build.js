/** Builds `dist/`: the bundles and, at the same time, the declarations. */
import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'

rmSync('dist', { recursive: true, force: true })

const isWindows = process.platform === 'win32'
/** Runs commands one after the other; rejects with the first that fails. */
const inTurn = async (...commands) => {
  for (const [program, ...words] of commands)
    await new Promise((resolve, reject) => {
      const child = spawn(program, words, { stdio: 'inherit', shell: isWindows })
      child.once('error', reject)
      child.once('close', (code) => (code === 0 ? resolve() : reject(new Error(`${program} ended with ${code}`))))
    })
}

try {
  await Promise.all([
    inTurn(
      ['rolldown', '--config', 'rolldown.config.js'],
      ['node', 'scripts/program-sizes.js'],
      ['node', 'scripts/openapi-json.js'],
    ),
    inTurn(['tsc', '-p', 'tsconfig.build.json'], ['node', 'scripts/prune-types.js']),
  ])
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}
