import { readFileSync } from 'node:fs'
import { describe, expect, it, test } from 'vitest'
import { packedBases } from '../../../scripts/bases.js'
import { drawnInstallations } from '../../../scripts/drawn-installations.js'
import { orderWarnings } from '../../../src/cli/bulk/preflight.js'
import { allBases, shortName } from '../../../src/cli/installations/bases.js'
import { unnamedInstallation } from '../../../src/cli/installations/order-names.js'
import { installations } from '../../../src/sandbox/data/index.js'
import { basedAddresses, civilianAddresses, civilianTowns } from '../../support/cli/base-addresses.js'

interface SourceBase {
  code: string
  name: string
  branch: string
  state: string
  place: string
  sandbox: 'by-hand' | 'drawn' | 'no'
  zips: { zip: string; city: string | null; use: 'own' | 'shared'; sources: string[] }[]
  names: { name: string; source: string }[]
}

const source = JSON.parse(readFileSync('scripts/data/bases.json', 'utf8')) as SourceBase[]
const listed = allBases().flatMap(({ code, name, state }) => (code === undefined ? [] : [{ code, name, state }]))
const warningOf = (address: unknown) => unnamedInstallation({ dropoff: { address } }, listed)?.message

describe('The table of bases', () => {
  it('is what its scripts write today (npm run bases, npm run drawn-installations)', () => {
    expect(readFileSync('src/cli/installations/bases.generated.ts', 'utf8')).toBe(packedBases())
    expect(readFileSync('src/sandbox/data/drawn-installations.generated.ts', 'utf8')).toBe(drawnInstallations())
  })

  it('has the codes of the installations of the sandbox, with their names, branches and states', () => {
    const inSandbox = source.filter(({ sandbox }) => sandbox !== 'no')
    const facts = ({ code, name, branch, state }: Omit<SourceBase, 'sandbox' | 'zips' | 'names' | 'place'>) =>
      [code, name, branch, state].join(' ')
    expect(installations.map(facts).sort()).toEqual(inSandbox.map(facts).sort())
    expect(new Set(source.map(({ code }) => code)).size).toBe(source.length)
  })

  it('says where each ZIP code and each other name is from', () => {
    const zips = source.flatMap((base) => base.zips)
    expect(zips.filter(({ sources }) => !sources.includes('public')).map(({ zip }) => zip)).toHaveLength(211)
    expect(zips.every(({ sources }) => sources.length > 0)).toBe(true)
    const sources = new Set(source.flatMap(({ names }) => names.map((name) => name.source)))
    expect([...sources].sort()).toEqual(['milmove', 'renamed-2023', 'usage'])
  })

  it('has every branch of the contract', () => {
    expect(new Set(installations.map(({ branch }) => branch))).toEqual(
      new Set(['army', 'navy', 'air_force', 'marine_corps', 'space_force', 'coast_guard', 'joint', 'dla']),
    )
  })
})

describe('An order without an installation', () => {
  const zips = source.flatMap((base) => base.zips.map((zip) => ({ base, ...zip })))

  test.each(zips)('to the ZIP code $zip of $base.name is warned about', ({ base, zip, city, use }) => {
    const forms = [
      `12 Main St, ${city ?? base.place}, ${base.state} ${zip}`,
      { line1: '12 Main St', city: city ?? base.place, state: base.state, postalCode: `${zip}-1234` },
    ]
    for (const message of forms.map(warningOf)) {
      if (base.sandbox === 'no') {
        expect(message).toContain(`ZIP ${zip} is ${shortName(base)}'s`)
        expect(message).toContain(`\`dlv installations list --state ${base.state}\` shows what the service serves`)
      } else expect(message).toMatch(new RegExp(`^ZIP ${zip} holds (?:.* or )?${base.code}\\b`))
      expect(message?.includes('civilian'), message).toBe(use === 'shared')
    }
  })

  test.each(civilianTowns)('to %s, %s %s is to a town that is on no base', (city, state, zip) => {
    for (const address of [`12 Main St, ${city}, ${state} ${zip}`, `12 Main St, ${city}, ${state}`])
      expect(warningOf(address)).toBeUndefined()
  })

  test.each(basedAddresses)('to "%s" is on a base: %s', (address, name) => {
    const warned = orderWarnings({ dropoff: { address } }, undefined, listed)
    const [base, ...others] = warned
    expect(base).toMatchObject({ field: 'dropoff.installation.code', message: expect.stringContaining(name) })
    const lacksZip = typeof address === 'string' && !/\d{5}/.test(address)
    expect(others.map(({ field, code }) => [field, code])).toEqual(lacksZip ? [['dropoff.address', 'DOUBTFUL']] : [])
  })

  test.each(civilianAddresses)('to "%s" is on no base', (address) => {
    expect(warningOf(address)).toBeUndefined()
  })

  it('is told what the service lists where its list is not known', () => {
    expect(unnamedInstallation({ dropoff: { address: '1 A St, Fort Bragg, NC 28310' } }, undefined)?.message).toBe(
      "ZIP 28310 is Fort Bragg's; `dlv installations list --state NC` shows what the service serves, and without a code any driver is sent",
    )
  })

  it('is told the code that this service has for the base, whatever the sandbox calls it', () => {
    const other = [{ code: 'BRG-1', name: 'Fort Liberty', state: 'NC' }]
    expect(unnamedInstallation({ dropoff: { address: '1 A St, Fort Bragg, NC 28310' } }, other)?.codes).toEqual([
      'BRG-1',
    ])
  })
})
