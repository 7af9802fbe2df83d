import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { archivePaths } from '../../src/archive/index.js'
import { startSandbox } from '../../src/sandbox/index.js'
import { seededRandom } from '../../src/shared/math.js'
import { tablesOf } from '../support/archive/event-list.js'
import { type Cli, createCli } from '../support/cli/program.js'

const kills = 30

/** The archive's files, once there are any. */
function archiveOf({ home }: Cli) {
  const folder = join(home, '.local', 'share', 'dlv')
  const names = existsSync(folder) ? readdirSync(folder) : []
  const account = names.flatMap((name) => /^archive-(.+?)(?<!\.people)\.db$/.exec(name)?.[1] ?? [])[0]
  return account === undefined ? undefined : archivePaths(folder, account)
}

it('an archive that is killed at random moments has the rows of one that never was', async () => {
  const sandbox = await startSandbox({ rateLimit: 200 })
  onTestFinished(() => sandbox.close())
  await sandbox.steer('POST', '/seed', { over: '14d', perDay: 60, seed: 11 })
  const env = { DLV_BASE_URL: sandbox.baseUrl, DLV_API_KEY: sandbox.apiKey }
  const [killed, whole] = [createCli(), createCli()]
  const random = seededRandom(5)
  for (let kill = 0; kill < kills; kill++) {
    const running = killed.startProcess(['sync'], { env })
    const ended = new Promise((resolve) => running.child.once('exit', resolve))
    if (kill === 0) while (archiveOf(killed) === undefined) await new Promise((resolve) => setTimeout(resolve, 5))
    await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 200 + random() * 1_500))])
    await running.kill('SIGKILL')
  }
  await killed.json(['sync'], { env })
  await whole.json(['sync'], { env })
  const [one, other] = [archiveOf(killed), archiveOf(whole)]
  if (one === undefined || other === undefined) throw new Error('There is no archive')
  expect(tablesOf(one)).toEqual(tablesOf(other))
}, 600_000)
