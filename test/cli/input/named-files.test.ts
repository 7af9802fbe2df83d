import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { type Cli, createCli } from '../../support/cli/program.js'
import { createTempDir } from '../../support/temp-dir.js'

/** Every flag and argument that names a file to be read; `FILE` stands for its name. */
const reading = {
  'api --input': 'api POST /quotes --input FILE',
  'drift --input': 'drift --input FILE',
  'drift --har': 'drift --har FILE',
  'drift --baseline': 'drift --har HAR --baseline FILE',
  'deliveries list --promise': 'deliveries list --problem --promise FILE',
  'report --promise': 'report --promise FILE',
  'deliveries create --file': 'deliveries create --file FILE',
  'deliveries create --map-file': 'deliveries create --dry-run --file ORDER --map-file FILE',
  'deliveries create --results': 'deliveries create --file ORDERS --results FILE',
  'deliveries update --file': 'deliveries update --file FILE',
  'deliveries cancel --file': 'deliveries cancel --yes --file FILE',
  'deliveries map': 'deliveries map FILE',
  'deliveries results --results': 'deliveries results --results FILE',
  'quotes create --file': 'quotes create --file FILE',
  'installations check --file': 'installations check FTBRAGG --file FILE',
  'query --file': 'query --file FILE',
  'sandbox faults --file': 'sandbox faults --file FILE',
  'sandbox play': 'sandbox play FILE',
  'webhooks log --journal': 'webhooks log --journal FILE',
  'sync --journal': 'sync --journal FILE',
  'webhooks sign --file': 'webhooks sign --secret-file SECRET --file FILE',
  'webhooks sign --secret-file': 'webhooks sign --id evt_1 --file ORDER --secret-file FILE',
  'webhooks send --file': 'webhooks send --to http://127.0.0.1:9/ --secret-file SECRET --file FILE',
  'webhooks verify --request': 'webhooks verify --secret-file SECRET --request FILE',
  'webhooks listen --tls-cert': 'webhooks listen --port 0 --tls-cert FILE --tls-key FILE',
  'profiles add --api-key-file': 'profiles add one -e sandbox --no-keychain --api-key-file FILE',
  'profiles add --webhook-secret-file': 'profiles add two -e sandbox --no-keychain --webhook-secret-file FILE',
  'profiles secrets add': 'profiles secrets add local FILE',
  sslrootcert: 'query SQL --to postgres://u@127.0.0.1:1/db?sslmode=verify-full&sslrootcert=FILE',
  PGPASSFILE: 'query SQL --to postgres://u@127.0.0.1:1/db',
} as const

type Name = keyof typeof reading

const files = createTempDir(afterAll)
writeFileSync(join(files, 'har'), '{"log":{"version":"1.2","entries":[]}}')
writeFileSync(join(files, 'secret'), `whsec_${Buffer.from('a secret of this test, 32 bytes.').toString('base64')}`)
writeFileSync(join(files, 'orders'), '{"clientOrderReference":"A-1"}\n')

function command(name: Name, file: string): { words: string[]; env: NodeJS.ProcessEnv } {
  const stand: Record<string, string> = {
    HAR: join(files, 'har'),
    SECRET: join(files, 'secret'),
    ORDERS: join(files, 'orders'),
    ORDER: 'examples/order.json',
    SQL: 'select 1',
    FILE: file,
  }
  const words = reading[name].split(' ').map((word) => stand[word] ?? word.replace('=FILE', `=${file}`))
  return { words, env: name === 'PGPASSFILE' ? { PGPASSFILE: file } : {} }
}

/** Runs each command with the file, and expects an error that names it. */
async function expectRefused(cli: Cli, file: string, names: readonly Name[]) {
  for (const name of names) {
    const { words, env } = command(name, file)
    const ended = await cli.run(words, { env })
    expect([name, ended.exitCode, ended.stdout], ended.stderr).toEqual([name, 2, ''])
    expect(ended.stderr, name).toContain(file)
    expect(ended.stderr, name).not.toMatch(/Error:|errno|bug in dlv/)
  }
}

const all = Object.keys(reading) as Name[]

/** One of each way of reading: those that take a pipe as well as a file, and those that take files alone. */
const takePipes = [
  'webhooks sign --secret-file',
  'deliveries create --file',
  'deliveries results --results',
  'sslrootcert',
] as const
const takeFiles = [
  'deliveries create --map-file',
  'deliveries create --results',
  'webhooks log --journal',
  'sync --journal',
  'PGPASSFILE',
] as const

/** Whether a process has a file open. */
function hasOpen(pid: number | undefined, file: string): boolean {
  return readdirSync(`/proc/${pid}/fd`).some((name) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${name}`) === file
    } catch {
      return false
    }
  })
}

describe('A file that a flag names', () => {
  it('is refused by its name if it is a directory, never ends, or is too large', async () => {
    const cli = createCli()
    const [directory, large] = [join(files, 'directory'), join(files, 'large')]
    mkdirSync(directory)
    writeFileSync(large, '')
    truncateSync(large, 70 * 1_048_576)
    await expectRefused(cli, directory, all)
    // Rows are read one by one from a file of any size: it is a row that is too large, which has no name.
    const whole = all.filter((name) => !/(?:update|cancel) --file/.test(name))
    await expectRefused(cli, large, whole)
    await expectRefused(cli, '/dev/zero', [...takePipes, ...takeFiles])
  })

  it('is not waited for if nobody writes a pipe: a signal ends the program at once', async () => {
    const cli = createCli()
    const pipe = join(files, 'pipe')
    execFileSync('mkfifo', [pipe])
    await expectRefused(cli, pipe, takeFiles)
    await Promise.all(
      takePipes.map(async (name) => {
        const { words, env } = command(name, pipe)
        const running = cli.startProcess(words, { env })
        await expect.poll(() => hasOpen(running.child.pid, pipe), { timeout: 20_000, interval: 50 }).toBe(true)
        expect([name, await running.kill('SIGINT')]).toMatchObject([name, { exitCode: 130 }])
      }),
    )
    // With a writer, it is read as a file is.
    const { words } = command('webhooks sign --secret-file', pipe)
    const signed = cli.run(words)
    await writeFile(pipe, `whsec_${Buffer.from('a secret of this test, 32 bytes.').toString('base64')}`)
    expect(await signed).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('v1,') })
  })
})
