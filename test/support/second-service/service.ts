import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe } from 'vitest'
import type { Cli } from '../cli/program.js'

const folder = join(process.cwd(), 'test', 'second-service')
const quiet = { ...process.env, PYTHONDONTWRITEBYTECODE: '1' }
const hasPython = spawnSync('python3', ['--version']).status === 0

/** An account of the service: a sandbox, one with an owned fleet, a live one. */
export type AccountName = 'sandbox' | 'fleet' | 'live'

/** What the service knows of an account, in its own words. */
interface AccountState {
  deliveries: {
    deliveryId: string
    clientOrderReference: string
    status: string
    order: Record<string, unknown>
    history: string[]
  }[]
  events: { id: string; type: string; status: string; attempts: number }[]
  ids: string[]
  emitted: string[]
  eventId: string
}

/** The service that is written in Python from the contract's text, in a process of its own. */
export interface SecondService {
  /** Ends in `/delivery/v1`. */
  url: string
  keys: Record<AccountName, string>
  secret: string
  /** Sets what a test needs, and answers with the state of the account; `all` is every account. */
  control(account: AccountName | 'all', asked?: Record<string, unknown>): Promise<AccountState>
  /** Gives a person profiles named like the accounts, with their keys in the profile file. */
  addProfiles(cli: Cli, current?: AccountName): void
  close(): Promise<void>
}

/** The names of all liberties, as `liberties.py` lists them, with the words of the contract that allow each. */
export function liberties(): { name: string; words: string }[] {
  const { stdout } = spawnSync(
    'python3',
    ['-c', 'import json, liberties; print(json.dumps({n: w for n, (w, _) in liberties.LIBERTIES.items()}))'],
    { cwd: folder, encoding: 'utf8', env: quiet },
  )
  return Object.entries(JSON.parse(stdout) as Record<string, string>).map(([name, words]) => ({ name, words }))
}

/** The names of all liberties. */
export const allLiberties = () => liberties().map(({ name }) => name)

/** An order that the service takes. */
export const anOrder = (clientOrderReference: string) => ({
  clientOrderReference,
  pickup: { storeReference: 'MAIN-ST' },
  dropoff: {
    address: { line1: '12 Elm St', city: 'Atlanta', state: 'GA', postalCode: '30303' },
    contactName: 'Ann Lee',
    contactPhone: '+14045550100',
  },
  package: { description: 'cake', contains: ['alcohol'] },
})

export async function startSecondService(...words: string[]): Promise<SecondService> {
  // The rate is high because tests would otherwise wait for it.
  const child = spawn('python3', [join(folder, 'service.py'), '--until-eof', '--rate', '5000', ...words], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: quiet,
  })
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
  const ready = JSON.parse(line) as Pick<SecondService, 'url' | 'keys' | 'secret'>
  return {
    ...ready,
    async control(account, asked = {}) {
      const response = await fetch(new URL(`/control/${account}`, ready.url), {
        method: 'POST',
        body: JSON.stringify(asked),
      })
      const answer = await response.json()
      if (!response.ok) throw new Error(JSON.stringify(answer))
      return answer as AccountState
    },
    addProfiles(cli, current = 'sandbox') {
      const profiles = Object.entries(ready.keys).map(([name, apiKey]) => {
        const environment = name === 'live' ? 'production' : 'sandbox'
        const webhookSecrets = [{ name: 'first', secret: ready.secret }]
        return [name, { environment, webhookSecrets, baseUrl: ready.url, keyIn: 'file', apiKey }]
      })
      const file = join(cli.home, 'config.json')
      writeFileSync(file, JSON.stringify({ current, profiles: Object.fromEntries(profiles) }), { mode: 0o600 })
      cli.env.DLV_CONFIG_DIR = cli.home
    },
    async close() {
      const ended = once(child, 'exit')
      child.stdin.end()
      await ended
    },
  }
}

/** Tests against the service, which are skipped by name if there is no Python. */
export function describeWithPython(name: string, tests: () => void): void {
  describe.skipIf(!hasPython)(hasPython ? name : `${name} (needs python3)`, tests)
}
