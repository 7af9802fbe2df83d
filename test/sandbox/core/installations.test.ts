import { describe, expect, test } from 'vitest'
import type { InputOf, Installation, Serviceability, ServiceabilityRequest } from '../../../src/contract/index.js'
import { ordinaryStores } from '../../../src/sandbox/core/geo/stores.js'
import { dropoffAt, mondayMorningMs, refusalOf, TestShell } from '../../support/sandbox/core-world.js'

type Query = NonNullable<InputOf<'listInstallations'>['query']>
interface Page {
  installations: Installation[]
  nextCursor: string | null
}

const page = (shell: TestShell, query: Query = {}) => shell.call('listInstallations', { query }).body as Page
const codes = (found: Page) => found.installations.map(({ code }) => code)

/** The codes of all installations that match, page by page. */
function allCodes(shell: TestShell, query: Query = {}): string[] {
  const { installations, nextCursor } = page(shell, { ...query, limit: 100 })
  const first = installations.map(({ code }) => code)
  return nextCursor === null ? first : [...first, ...codes(page(shell, { ...query, limit: 100, cursor: nextCursor }))]
}

/** By their fictional policies. */
const closedInstallations = [
  'CGSANJUAN',
  'FTBLISS',
  'KINGSLEY',
  'MCASNEWRIVER',
  'MCBBLAZ',
  'MOUNTAINHOME',
  'SCHRIEVERSFB',
  'SHAWAFB',
]

describe('the list of installations', () => {
  test('is read page by page, every installation once', () => {
    const shell = new TestShell()
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const found = page(shell, { limit: 7, ...(cursor === undefined ? {} : { cursor }) })
      seen.push(...codes(found))
      cursor = found.nextCursor ?? undefined
    } while (cursor !== undefined)
    const real = shell.installations().filter(({ state }) => state !== 'ZZ')
    expect(seen).toEqual(real.map(({ code }) => code).sort())
    expect(seen).toHaveLength(150)
    const pages = [page(shell, { limit: 50 })]
    for (let last = pages[0]; last?.nextCursor != null; last = pages.at(-1))
      pages.push(page(shell, { limit: 50, cursor: last.nextCursor }))
    expect(pages.map(({ installations }) => installations.length)).toEqual([50, 50, 50])
  })

  test('filters by state, branch and whether deliveries are taken', () => {
    const shell = new TestShell()
    expect(codes(page(shell, { state: 'GU' }))).toEqual(['ANDERSENAFB', 'MCBBLAZ', 'NBGUAM'])
    expect(codes(page(shell, { branch: 'dla' }))).toHaveLength(4)
    expect(codes(page(shell, { acceptingDeliveries: false }))).toEqual(closedInstallations)
    expect(codes(page(shell, { state: 'GU', branch: 'navy', acceptingDeliveries: true }))).toEqual(['NBGUAM'])
  })

  test('refuses a cursor of other filters', () => {
    const shell = new TestShell()
    const { nextCursor } = page(shell, { branch: 'army', limit: 2 })
    const cursor = nextCursor ?? ''
    expect(codes(page(shell, { branch: 'army', limit: 1, cursor }))).toHaveLength(1)
    expect(refusalOf(() => page(shell, { branch: 'navy', limit: 2, cursor }))).toBe('400 VALIDATION_ERROR')
  })
})

describe('one installation', () => {
  test('is shown with its policy and its gates, without their schedules', () => {
    const body = new TestShell().call('getInstallation', { installationCode: 'FTBRAGG' }).body as Installation
    expect(body).toMatchObject({ code: 'FTBRAGG', imagingRestrictions: 'no_recording_devices', fpconLevel: 'normal' })
    expect(body.gates?.[1]).toEqual({
      name: 'Knox Street Truck Plaza',
      commercialVehiclesPermitted: true,
      hours: 'Mon-Fri 05:00-21:00; Sat-Sun 05:00-13:00',
      timezone: 'America/New_York',
    })
  })
})

describe('every installation of the list', () => {
  // Afternoon on the east coast, morning on Guam.
  const shell = new TestShell({ nowMs: Date.parse('2026-03-02T21:30:00Z') })
  const listed = allCodes(shell)
  const refusalFrom = (code: string, storeReference: string) => {
    const { city = '', state = '', postalCode = '' } = shell.installation(code) ?? {}
    const dropoff = dropoffAt(code, { address: { line1: '1 Gate Road', city, state, postalCode } })
    return refusalOf(() => shell.create({ dropoff, pickup: { storeReference } }))
  }

  test('takes orders from a store of its state, or refuses them for its own policy', () => {
    const refused = listed.flatMap((code) => {
      const near = ordinaryStores.filter(({ state }) => state === shell.installation(code)?.state)
      const found = near.map(({ storeReference }) => refusalFrom(code, storeReference))
      return found.includes(undefined) ? [] : [[code, ...new Set(found)]]
    })
    const closed = '422 INSTALLATION_NOT_ACCEPTING_DELIVERIES'
    expect(refused).toEqual(closedInstallations.map((code) => [code, closed]))
    expect(refusalFrom('FTDRUM', 'STORE-001')).toBe('422 NO_ELIGIBLE_PROVIDERS')
  })

  test('lies within what is served', () => {
    const reasons = listed.map((code) => {
      const answer = shell.call('checkServiceability', { body: { dropoff: { installation: { code } } } })
      return (answer.body as Serviceability).reasonCode
    })
    expect(reasons).not.toContain('outside_service_area')
  })
})

describe('serviceability', () => {
  const check = (code: string | undefined, more: Partial<ServiceabilityRequest> = {}, shell = new TestShell()) => {
    const installation = code === undefined ? {} : { installation: { code } }
    const body = { ...more, dropoff: { ...installation, ...more.dropoff } }
    return shell.call('checkServiceability', { body }).body as Serviceability
  }

  test('holds all that is known of a stop that can be served', () => {
    expect(check('ZZOK')).toEqual({
      serviceable: true,
      installation: {
        code: 'ZZOK',
        name: 'Camp Example (serves everything)',
        accessLevel: 'id_required',
        fpconLevel: 'normal',
      },
      recommendedGate: 'Main Gate',
      credentialedDriversAvailable: true,
      permittedProofTypes: ['photo', 'signature', 'pin_code', 'barcode'],
      suppressedProofTypes: [],
      supportedDeliveryPoints: ['cq_desk', 'mailroom', 'gate_handoff'],
      evaluatedAt: '2026-03-02T15:00:00.000Z',
    })
  })

  test.each([
    ['ZZFPCON', 'fpcon_elevated', '2026-03-02T21:00:00.000Z'],
    ['ZZGATECLOSED', 'gate_closed', '2026-03-08T11:00:00.000Z'],
    ['NOWHERE', 'installation_not_served', undefined],
    ['ZZNODRIVER', 'no_credentialed_driver_available', undefined],
  ])('of %s is refused: %s until %s', (code, reasonCode, retryAfter) => {
    const answer = check(code)
    expect(answer).toMatchObject({ serviceable: false, reasonCode, reason: expect.stringMatching(/\w/) })
    expect(answer.retryAfter).toBe(retryAfter)
    expect(answer.credentialedDriversAvailable).toBe(code !== 'ZZNODRIVER')
  })

  test.each([
    ['2026-03-02T12:59:59Z', '2026-03-02T13:00:00.000Z'],
    ['2026-03-02T13:00:00Z', undefined],
    ['2026-03-02T20:59:59Z', undefined],
    ['2026-03-02T21:00:00Z', '2026-03-03T13:00:00.000Z'],
  ])('of the escorted camp at %s has to wait until %s', (deliverAt, retryAfter) => {
    const answer = check('ZZESCORT', { deliverAt })
    expect(answer.reasonCode).toBe(retryAfter === undefined ? undefined : 'escort_unavailable')
    expect(answer.retryAfter).toBe(retryAfter)
  })

  test('needs an address or an installation', () => {
    expect(refusalOf(() => check(undefined))).toBe('400 VALIDATION_ERROR')
  })

  test('of a real gate follows its hours, and names the opening after the weekend', () => {
    expect(check('FTHOOD', { deliverAt: '2026-03-06T15:00:00Z' })).toMatchObject({
      recommendedGate: 'Clarke Road Gate',
    })
    const closed = check('FTHOOD', { deliverAt: '2026-03-07T03:00:00Z' })
    expect(closed).toMatchObject({ reasonCode: 'gate_closed', retryAfter: '2026-03-09T10:00:00.000Z' })
    expect(closed).not.toHaveProperty('recommendedGate')
  })

  test('is of now where no moment is given', () => {
    const shell = new TestShell({ nowMs: mondayMorningMs - 5 * 86_400_000 })
    expect(check('ZZESCORT', {}, shell).evaluatedAt).toBe('2026-02-25T15:00:00.000Z')
  })
})
