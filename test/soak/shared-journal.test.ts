import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { seededRandom } from '../../src/shared/math.js'
import { createCli } from '../support/cli/program.js'
import { startTestPair } from '../support/postgres/database.js'
import { postgresBin } from '../support/postgres/programs.js'
import { startTrial } from '../support/postgres/trial.js'

/** How often each fault is tried; `DLV_TRIAL_ROUNDS=2` takes a minute. */
const rounds = Number(process.env.DLV_TRIAL_ROUNDS ?? 20)
const seed = Number(process.env.DLV_TRIAL_SEED ?? Date.now() % 100_000)

/** A standby is built again after each promotion, which the programs that npm installs cannot. */
const hasBackup = existsSync(join(postgresBin() ?? '', 'pg_basebackup'))

it.skipIf(!hasBackup)(
  `receivers, forwarders and primaries that are killed, stopped and restarted lose no acknowledged event and keep the order`,
  async () => {
    const random = seededRandom(seed)
    const pair = await startTestPair()
    const trial = await startTrial(createCli(), pair, random, {
      onRound: (...round) => process.stdout.write(`${JSON.stringify(round)}\n`),
    })
    const faults: [kind: string, fault: () => Promise<void>][] = [
      ['receiver killed', trial.killReceiver],
      ['forwarder killed', trial.killForwarder],
      ['primary killed', trial.killPrimary],
      ['forwarder stopped', () => trial.stopForwarder(13_000)],
      ['restarted in turn', trial.restartInTurn],
      ['forwarder joined', trial.joinAndLeave],
    ]
    const plan = Array.from({ length: rounds }, () => faults)
      .flat()
      .map((fault) => ({ fault, at: random() }))
      .toSorted((a, b) => a.at - b.at)
    for (const { fault } of plan) await trial.during(...fault)
    const report = await trial.end()
    process.stdout.write(`seed ${seed}: ${JSON.stringify(report)}\n`)
    expect(report.lost).toEqual([])
    expect(report.outOfOrder).toEqual([])
    for (const peaceful of ['none', 'receiver killed', 'restarted in turn', 'forwarder joined'])
      expect([peaceful, report.again[peaceful] ?? 0]).toEqual([peaceful, 0])
    // Two forwarders with 32 attempts each: what was under way at a fault.
    for (const again of Object.values(report.again)) expect(again).toBeLessThanOrEqual(64 * rounds)
    expect(report.acknowledged).toBeGreaterThan(100 * rounds)
  },
  60 * 60_000,
)
