import { describe, expect, test } from 'vitest'
import type { Installation, KnownDeliveryStatus } from '../../../src/contract/index.js'
import { DriverEvent, findDrift, InstallationEvent } from '../../../src/contract/index.js'
import { deleteDriver, putDriver } from '../../../src/sandbox/control/fixtures.js'
import { changeInstallation, type InstallationPatch } from '../../../src/sandbox/core/policy-change.js'
import { accountOf, dropoffAt, refusalOf, TestShell } from '../../support/sandbox/core-world.js'

describe('changing the policy of an installation', () => {
  const change = (shell: TestShell, patch: InstallationPatch, code = 'ZZOK') =>
    shell.commit(changeInstallation(shell, code, patch))

  test('is told to the accounts that deliver there or have done so, and to no other', () => {
    const shell = new TestShell()
    const toldTo = () =>
      (
        change(shell, { fpconLevel: shell.installation('ZZOK')?.fpconLevel === 'bravo' ? 'normal' : 'bravo' }).events ??
        []
      )
        .filter(({ eventType }) => eventType === 'installation.access_policy_changed')
        .map(({ accountId, body }) => [accountId, body.affectedDeliveryCount])
    expect(toldTo()).toEqual([])
    shell.account = accountOf('dlvk_sbx_ownedfleet')
    shell.cancel(shell.create({ dropoff: dropoffAt('ZZOK') }).deliveryId)
    shell.account = accountOf('dlvk_sbx_marketplace')
    shell.create({ dropoff: dropoffAt('ZZDRY') })
    expect(toldTo()).toEqual([['acc_ownedfleet', 0]])
  })

  test('is told with the number of orders under way', () => {
    const shell = new TestShell()
    shell.create({ dropoff: dropoffAt('ZZOK') })
    shell.create({ dropoff: dropoffAt('ZZOK') })
    shell.cancel(shell.create({ dropoff: dropoffAt('ZZOK') }).deliveryId)
    shell.account = accountOf('dlvk_live_demo')
    shell.create({ dropoff: dropoffAt('ZZOK') })
    shell.account = accountOf('dlvk_sbx_marketplace')
    const { events = [], body } = change(shell, {
      fpconLevel: 'bravo',
      accessLevel: 'id_required',
      prohibitedCargo: [],
    })
    const told = events.map(({ accountId, livemode, body }) => [accountId, livemode, body.affectedDeliveryCount])
    expect(told).toEqual([
      ['acc_marketplace', false, 2],
      ['acc_live', true, 1],
    ])
    expect(events[0]?.body).toMatchObject({ changed: ['fpconLevel', 'prohibitedCargo'], livemode: false })
    expect(findDrift(InstallationEvent, InstallationEvent.parse(events[0]?.body))).toEqual([])
    expect(body).toMatchObject({ code: 'ZZOK', fpconLevel: 'bravo' } satisfies Partial<Installation>)
    expect(shell.installation('ZZOK')?.policyUpdatedAtMs).toBe(shell.nowMs)
  })

  test('that changes nothing is told to nobody', () => {
    const shell = new TestShell()
    const { events = [], installations = [] } = change(shell, { fpconLevel: 'normal' })
    expect([...events, ...installations]).toEqual([])
  })

  test('of an unknown one is refused', () => {
    expect(refusalOf(() => change(new TestShell(), {}, 'NOWHERE'))).toBe('404 INSTALLATION_NOT_FOUND')
  })

  const stops: [KnownDeliveryStatus, InstallationPatch, KnownDeliveryStatus, string | undefined][] = [
    ['scheduled', { acceptingDeliveries: false }, 'scheduled', undefined],
    ['accepted', { fpconLevel: 'delta' }, 'dispatch_failed', 'fpcon_elevated'],
    ['accepted', { acceptingDeliveries: false }, 'dispatch_failed', 'gate_closed'],
    ['reassigning', { fpconLevel: 'charlie' }, 'dispatch_failed', 'fpcon_elevated'],
    ['driver_assigned', { fpconLevel: 'charlie' }, 'reassigning', undefined],
    ['driver_at_pickup', { acceptingDeliveries: false }, 'reassigning', undefined],
    ['pickup_complete', { acceptingDeliveries: false }, 'failed', 'denied_at_gate'],
    ['driver_enroute_to_dropoff', { fpconLevel: 'charlie' }, 'failed', 'fpcon_elevated'],
    ['driver_at_dropoff', { fpconLevel: 'charlie' }, 'driver_at_dropoff', undefined],
    ['accepted', { fpconLevel: 'bravo' }, 'accepted', undefined],
  ]
  test.each(stops)('finds an order in %s and, by %o, leaves it in %s', (from, patch, to, reason) => {
    const shell = new TestShell()
    const { deliveryId } = shell.createAt(from, { dropoff: dropoffAt('ZZOK') })
    const before = shell.eventTypes(deliveryId).length
    change(shell, patch)
    const row = shell.stored(deliveryId)
    expect(row.status).toBe(to)
    expect(row.statusReasonCode).toBe(reason)
    expect(shell.eventTypes(deliveryId).slice(before)).toEqual(from === to ? [] : [`delivery.${to}`])
  })

  test('resolves again what is enforced at the dropoff', () => {
    const shell = new TestShell()
    const photo = { level: 'required' as const, substituteWhenProhibited: 'signature' as const }
    const { deliveryId } = shell.create({ dropoff: dropoffAt('ZZOK'), verification: { dropoff: { photo } } })
    change(shell, { photographyPermitted: false })
    expect(shell.stored(deliveryId).resolvedVerification).toMatchObject({
      dropoff: { signature: { level: 'required' } },
      suppressed: [{ mechanism: 'photo', substitutedBy: 'signature' }],
    })
  })

  test('holds back what moves by itself until the installation opens again', () => {
    const shell = new TestShell()
    const { deliveryId } = shell.create({ dropoff: dropoffAt('ZZOK'), metadata: { sandbox_pace: 'fast' } })
    change(shell, { acceptingDeliveries: false })
    shell.advanceTo(shell.nowMs + 30 * 60_000)
    expect(shell.stored(deliveryId).status).toBe('dispatch_failed')
    change(shell, { acceptingDeliveries: true })
    shell.advanceTo(shell.nowMs + 10 * 60_000)
    expect(shell.stored(deliveryId).status).toBe('delivered')
  })

  test('tells drivers under way when they will arrive now', () => {
    const shell = new TestShell()
    const { deliveryId } = shell.createAt('driver_enroute_to_dropoff', { dropoff: dropoffAt('ZZOK') })
    change(shell, { accessLevel: 'escort_required' })
    expect(shell.eventTypes(deliveryId).at(-1)).toBe('delivery.eta_updated')
    const { eta } = shell.events.at(-1)?.body as { eta: { dropoff: string } }
    expect(Date.parse(eta.dropoff)).toBeGreaterThan(shell.nowMs + 20 * 60_000)
  })
})

describe('changing the fleet', () => {
  const put = (shell: TestShell, id: string, patch: Parameters<typeof putDriver>[2]) =>
    shell.commit(putDriver(shell, id, patch))
  const types = (shell: TestShell) => shell.events.map(({ eventType }) => eventType)

  test('tells accounts with a fleet, by driver events', () => {
    const shell = new TestShell()
    put(shell, 'drv_new', { name: 'Nia O.' })
    put(shell, 'drv_new', { teams: ['team_north'], onDuty: false })
    put(shell, 'drv_new', { onDuty: false })
    shell.commit(deleteDriver(shell, 'drv_new'))
    expect(types(shell)).toEqual(['driver.created', 'driver.updated', 'driver.duty_changed', 'driver.deleted'])
    for (const event of shell.events) {
      expect(event).toMatchObject({ audience: 'drivers', accountId: 'acc_ownedfleet', deliveryId: null })
      expect(findDrift(DriverEvent, DriverEvent.parse(event.body))).toEqual([])
    }
    expect(shell.events[2]?.body.driver).toEqual({ id: 'drv_new', name: 'Nia O.', onDuty: false })
    expect(shell.driver('drv_new')).toBeUndefined()
  })

  test('refuses to remove a driver who does not exist', () => {
    const shell = new TestShell()
    expect(refusalOf(() => deleteDriver(shell, 'drv_missing'))).toBe('404 DRIVER_NOT_FOUND')
  })
})

describe('the fleet', () => {
  test('is whole for its owner, by team and duty', () => {
    const shell = new TestShell({ apiKey: 'dlvk_sbx_ownedfleet' })
    const ids = (query: object) => (shell.call('listDrivers', { query }).body as { id: string }[]).map(({ id }) => id)
    expect(ids({})).toHaveLength(12)
    expect(ids({ onDuty: false })).toEqual(['drv_10', 'drv_11', 'drv_12'])
    expect(ids({ teamId: 'team_base', onDuty: true }).length).toBeGreaterThan(2)
    expect(ids({ teamId: 'team_nope' })).toEqual([])
    expect(shell.call('getDriver', { driverId: 'drv_01' }).body).toMatchObject({ id: 'drv_01', name: 'Maya R.' })
    expect(refusalOf(() => shell.call('getDriver', { driverId: 'drv_missing' }))).toBe('404 DRIVER_NOT_FOUND')
    const teams = shell.call('listTeams', {}).body as { id: string; workerCount: number }[]
    expect(teams.map(({ id, workerCount }) => [id, workerCount])).toEqual([
      ['team_north', 5],
      ['team_south', 4],
      ['team_base', 6],
    ])
  })

  test('is hidden from others, but for drivers who are under way for them', () => {
    const shell = new TestShell()
    expect(shell.call('listDrivers', {}).body).toEqual([])
    const { driverId = '' } = shell.createAt('driver_assigned')
    expect(shell.call('listDrivers', {}).body).toEqual([expect.objectContaining({ id: driverId })])
    expect(shell.call('getDriver', { driverId }).body).toMatchObject({ id: driverId })
    const another = shell.drivers().find(({ id }) => id !== driverId)?.id ?? ''
    expect(refusalOf(() => shell.call('getDriver', { driverId: another }))).toBe('404 DRIVER_NOT_FOUND')
    expect(shell.call('listTeams', {}).body).toEqual([])
  })

  test('drives for the team that the order names', () => {
    const shell = new TestShell({ apiKey: 'dlvk_sbx_ownedfleet' })
    for (const teamReference of ['team_north', 'team_south', 'team_base']) {
      const { driverId = '' } = shell.createAt('driver_assigned', { dispatch: { mode: 'team_queue', teamReference } })
      expect(shell.driver(driverId)?.teams).toContain(teamReference)
    }
  })
})
