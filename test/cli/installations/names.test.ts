import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it, test } from 'vitest'
import { allBases } from '../../../src/cli/installations/bases.js'
import { findInstallation } from '../../../src/cli/installations/find-installation.js'
import { createCli } from '../../support/cli/program.js'
import { serveSandbox } from '../../support/sandbox/served-sandbox.js'

const listed = allBases().flatMap(({ code, name, state }) => (code === undefined ? [] : [{ code, name, state }]))

/** Names as people write them, and the code; made up before the table was looked at. */
const names: readonly (readonly [text: string, code: string])[] = [
  ['Ft Bragg NC', 'FTBRAGG'],
  ['FORT LIBERTY, NC', 'FTBRAGG'],
  ['ftbragg', 'FTBRAGG'],
  ['28310', 'FTBRAGG'],
  ['Fort Bragg, NC 28310', 'FTBRAGG'],
  ['Ft.Bragg', 'FTBRAGG'],
  ['Ft. Hood TX', 'FTHOOD'],
  ['HOOD', 'FTHOOD'],
  ['fort cavazos', 'FTHOOD'],
  ['Ft Benning', 'FTBENNING'],
  ['Ft. Moore GA', 'FTBENNING'],
  ['Moore', 'FTBENNING'],
  ['Fort Eisenhower', 'FTGORDON'],
  ['Gordon', 'FTGORDON'],
  ['Ft Gregg-Adams', 'FTLEE'],
  ['Lee', 'FTLEE'],
  ['Ft. Novosel', 'FTRUCKER'],
  ['Rucker', 'FTRUCKER'],
  ['Ft Barfoot', 'FTPICKETT'],
  ['Pickett', 'FTPICKETT'],
  ['Fort AP Hill', 'FTAPHILL'],
  ['A.P. Hill', 'FTAPHILL'],
  ['Ft. Walker', 'FTAPHILL'],
  ['Fort Johnson LA', 'FTPOLK'],
  ['Polk', 'FTPOLK'],
  ['Ft Meade MD', 'FTMEADE'],
  ['Lewis McChord', 'JBLM'],
  ['Lewis-McChord', 'JBLM'],
  ['Fort Lewis', 'JBLM'],
  ['McChord AFB', 'JBLM'],
  ['Camp LeJeune', 'MCBLEJEUNE'],
  ['MCB Camp Lejeune', 'MCBLEJEUNE'],
  ['Hickam', 'JBPHH'],
  ['Hickam AFB', 'JBPHH'],
  ['Pearl Harbor', 'JBPHH'],
  ['Pax River', 'NASPAXRIVER'],
  ['NAS Pax River', 'NASPAXRIVER'],
  ['29 Palms', 'MCAGCC'],
  ['Twenty-Nine Palms', 'MCAGCC'],
  ['Wright Patt', 'WPAFB'],
  ['Wright-Pat', 'WPAFB'],
  ['Lackland', 'LACKLANDAFB'],
  ['Ft Sam Houston', 'JBSA'],
  ['Randolph AFB', 'RANDOLPHAFB'],
  ['Andrews AFB', 'JBANDREWS'],
  ['Ft. Dix', 'JBMDL'],
  ['Lakehurst', 'JBMDL'],
  ['Langley', 'JBLE'],
  ['Fort Eustis', 'JBLE'],
  ['Ft Leonardwood', 'FTLEONARDWOOD'],
  ['Scott Air Force Base', 'SCOTTAFB'],
  ['Offutt', 'OFFUTTAFB'],
  ['Peterson AFB', 'PETERSONSFB'],
  ['Vandenberg Air Force Base', 'VANDENBERGSFB'],
  ['MCB Pendleton', 'MCBPENDLETON'],
  ['NAB Little Creek', 'JEBLCFS'],
  ['Norfolk Naval Base', 'NSNORFOLK'],
  ['NAS JAX', 'NASJAX'],
  ['Cherry Pt', 'MCASCHERRYPT'],
  ['MCRD Parris Island', 'MCRDPARRIS'],
  ['USMA', 'WESTPOINT'],
  ['US Naval Academy', 'NSAANNAPOLIS'],
  ['Elmendorf', 'JBER'],
  ['Kaneohe Bay', 'MCBHAWAII'],
  ['Henderson Hall', 'JBMHH'],
  ['Bolling', 'JBAB'],
  ['USCGA', 'CGACADEMY'],
  ['Robins', 'ROBINSAFB'],
  ['Tinker AFB OK', 'TINKERAFB'],
  ['Schriever AFB', 'SCHRIEVERSFB'],
]

describe('A name as people write it', () => {
  test.each(names)('"%s" is %s', (text, code) => {
    expect(findInstallation(text, listed)).toMatchObject({ kind: 'one', isSure: true, place: { code } })
  })

  test.each([
    ['Fort Meade', 'FTMEADE'],
    ['Columbus', 'COLUMBUSAFB DLACOLUMBUS'],
    ['Camp Johnson', 'MCBLEJEUNE CAMPJOHNSON'],
    ['96929', 'MCBBLAZ ANDERSENAFB'],
    ['San Diego', 'NBSANDIEGO MCRDSANDIEGO'],
  ])('"%s" is never one of several in silence', (text, codes) => {
    const found = findInstallation(text, listed)
    expect(found).toMatchObject({ kind: 'several' })
    const places = found.kind === 'several' ? found.places : []
    expect(places.length).toBeGreaterThan(1)
    expect(places.flatMap(({ code }) => code ?? []).join(' ')).toBe(codes)
  })

  test.each(['Camp Bragg', 'Fort Lejeune', 'Fort Lee NJ', 'Fort Bragg, CA'])('"%s" is only offered', (text) => {
    expect(findInstallation(text, listed)).toMatchObject({ kind: 'one', isSure: false })
  })

  test.each([['Altus AFB'], ['73523'], ['Vance']])('"%s" is a base that the service does not list', (text) => {
    expect(findInstallation(text, listed)).toMatchObject({ kind: 'unlisted', place: { state: 'OK' } })
  })

  test.each(['Gitmo', 'Camp Pen', 'xyzzy', 'Fort', 'Naval Station', ''])('"%s" is nothing', (text) => {
    expect(findInstallation(text, listed)).toEqual({ kind: 'none', near: [] })
  })

  it('is looked for in the list of the service, whatever its codes and names', () => {
    const own = [
      { code: 'brg-1', name: 'Fort Liberty', state: 'NC' },
      { code: 'OTHER', name: 'Fort Hood Annex', state: 'TX' },
    ]
    expect(findInstallation('Ft. Bragg', own)).toMatchObject({ kind: 'one', place: { code: 'brg-1' } })
    expect(findInstallation('brg-1', own)).toEqual({ kind: 'code' })
    expect(findInstallation('Fort Hood', own)).toMatchObject({ kind: 'unlisted' })
  })
})

describe('The commands', () => {
  const cli = createCli(afterAll)
  const order = (installation: string, ref: string) => [
    '--store',
    'STORE-001',
    '--to',
    '200 Knox Street, Fort Bragg, NC 28310',
    '--name',
    'Maya Reyes',
    '--phone',
    '+19105550123',
    '--ref',
    ref,
    '--installation',
    installation,
  ]

  it('find an installation by its name, and say which', async () => {
    const got = await cli.run(['installations', 'get', 'Fort Liberty', '--jq', '.code'])
    expect([got.stdout, got.stderr]).toEqual([
      'FTBRAGG\n',
      expect.stringContaining('"Fort Liberty" is FTBRAGG (Fort Bragg, NC).'),
    ])
    const checked = await cli.run(['installations', 'check', 'ftbragg', '--jq', '.installation.code'])
    expect([checked.stdout, checked.stderr]).toEqual(['FTBRAGG\n', expect.stringContaining('"ftbragg" is FTBRAGG')])
    const listed = await cli.run(['deliveries', 'list', '--installation', 'Hickam', '--json'])
    expect([listed.exitCode, listed.stderr]).toEqual([0, expect.stringContaining('"Hickam" is JBPHH')])
  })

  it('name both of two, and what the service does not list', async () => {
    const two = await cli.run(['installations', 'get', 'Columbus'])
    expect([two.exitCode, two.stderr]).toEqual([
      4,
      expect.stringContaining('COLUMBUSAFB (Columbus Air Force Base, MS) or DLACOLUMBUS'),
    ])
    const filter = await cli.run(['deliveries', 'list', '--installation', 'Fort Meade'])
    expect([filter.exitCode, filter.stderr]).toEqual([
      2,
      expect.stringContaining('FTMEADE (Fort George G. Meade, MD) or the old Fort Meade, SD'),
    ])
    const unlisted = await cli.run(['installations', 'check', 'Altus AFB'])
    expect(unlisted.stderr).toContain('dlv installations list --state OK shows what it serves')
  })

  it('send no order to a name, and offer its code', async () => {
    for (const words of [
      ['deliveries', 'create'],
      ['quotes', 'create'],
    ]) {
      const given =
        words[0] === 'quotes'
          ? order('Fort Bragg', 'N-1').filter((word) => !['--ref', 'N-1'].includes(word))
          : order('Fort Bragg', 'N-1')
      const { exitCode, stderr } = await cli.run([...words, ...given])
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining('Write FTBRAGG.')])
    }
    expect((await cli.run(['deliveries', 'list', '--from', '1h', '-q'])).stdout).toBe('')
    const typo = await cli.run(['deliveries', 'create', ...order('Ft Bragh', 'N-2')])
    expect(typo.stderr).toContain('Did you mean "FTBRAGG"?')
  })

  it('offer the code for a cell of a sheet', async () => {
    const file = join(cli.home, 'rows.csv')
    writeFileSync(
      file,
      'clientOrderReference,pickup.storeReference,dropoff.address,dropoff.contactName,dropoff.contactPhone,dropoff.installation.code\nR-1,STORE-001,"200 Knox Street, Fort Bragg, NC 28310",Maya,+19105550123,Ft. Bragg\nR-2,STORE-001,"200 Knox Street, Fort Bragg, NC 28310",Maya,+19105550123,FTBRAGG\n',
    )
    const { exitCode, stdout } = await cli.run(['deliveries', 'create', '--file', file, '-o', 'ndjson'])
    expect(exitCode).toBe(9)
    expect(stdout).toContain('Write FTBRAGG.')
    expect(stdout).toContain('"outcome":"created"')
  })
})

describe('An update of the address', () => {
  const cli = createCli(afterAll)
  const words = (ref: string, to: string, ...more: string[]) => ['deliveries', 'update', ref, '--to', to, ...more]
  const onBragg = async (ref: string) => {
    const made = [
      '--store',
      'STORE-001',
      '--to',
      '1 A St, Fort Bragg, NC 28310',
      '--name',
      'Maya',
      '--phone',
      '+19105550123',
    ]
    expect((await cli.run(['deliveries', 'create', ...made, '--ref', ref, '--installation', 'FTBRAGG'])).exitCode).toBe(
      0,
    )
  }

  it('on the same base keeps the installation, without a warning; on another it is refused with the code', async () => {
    await onBragg('M-1')
    const same = await cli.run(
      words('M-1', '200 Knox Street, Fort Bragg, NC 28310', '--dry-run', '--jq', '.body.dropoff.installation.code'),
    )
    expect([same.exitCode, same.stdout]).toEqual([0, 'FTBRAGG\n'])
    expect(same.stderr).not.toContain('warning')
    expect((await cli.run(words('M-1', '200 Knox Street, Fort Bragg, NC 28307'))).exitCode).toBe(0)
    const other = await cli.run(words('M-1', '1 A Ave, Fort Hood, TX 76544'))
    expect([other.exitCode, other.stderr]).toEqual([2, expect.stringContaining('ZIP 76544 holds FTHOOD')])
    expect(other.stderr).toContain('--installation FTHOOD')
    expect(other.stderr).not.toContain('warning')
    const town = await cli.run(words('M-1', '200 Hay St, Fayetteville, NC 28301'))
    expect([town.exitCode, town.stderr]).toEqual([2, expect.stringContaining('the new address may not be')])
    const file = join(cli.home, 'moves.csv')
    writeFileSync(file, 'clientOrderReference,dropoff.address\nM-1,"7 B St, Fort Bragg, NC 28310"\n')
    const rows = await cli.run(['deliveries', 'update', '--file', file, '-o', 'ndjson'])
    expect([rows.exitCode, rows.stderr]).toEqual([0, expect.not.stringContaining('warning')])
  })
})

describe('On another machine', () => {
  const cli = createCli(afterAll)
  const sandbox = serveSandbox()
  const asked = async () => {
    const requests = (await sandbox.caller.steer('GET', '/requests')).requests as { path: string }[]
    return requests.filter(({ path }) => /\/installations\?/.test(path)).length
  }
  const words = ['deliveries', 'list', '--installation', 'Ft. Bragg', '--json']

  it('the list of the service is kept for a day, and asked again for a name that it lacks', async () => {
    const env = sandbox.env()
    expect((await cli.run(words, { env })).stderr).toContain('"Ft. Bragg" is FTBRAGG')
    const once = await asked()
    expect(once).toBeGreaterThan(0)
    expect((await cli.run(words, { env })).stderr).toContain('"Ft. Bragg" is FTBRAGG')
    expect(await asked()).toBe(once)
    const folder = join(cli.home, '.local', 'share', 'dlv')
    const [name] = readdirSync(folder).filter((file) => file.startsWith('installations-'))
    const file = join(folder, name ?? '')
    const kept = JSON.parse(readFileSync(file, 'utf8'))
    expect(kept.installations).toHaveLength(150)
    writeFileSync(file, JSON.stringify({ ...kept, installations: kept.installations.slice(0, 1) }))
    expect((await cli.run(words, { env })).stderr).toContain('"Ft. Bragg" is FTBRAGG')
    expect(await asked()).toBe(2 * once)
    writeFileSync(file, JSON.stringify({ ...kept, askedAtMs: kept.askedAtMs - 86_400_001 }))
    await cli.run(words, { env })
    expect(await asked()).toBe(3 * once)
    rmSync(file)
  })
})
