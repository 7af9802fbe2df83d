import type { DriverProfile, Team } from '../../drivers.js'
import type { Installation, InstallationListItem, Serviceability } from '../../installations.js'

/** Drivers, teams and installations, as responses hold them. */

export const driver: DriverProfile = {
  id: 'drv_01',
  name: 'Maya R.',
  phoneNumber: '+19105550131',
  onDuty: true,
  status: 'active',
  teams: ['team_north', 'team_base'],
  vehicleDescription: 'White Ford Transit',
}

export const team: Team = {
  id: 'team_base',
  name: 'Base access',
  workerCount: 6,
  hubDestinationId: 'dst_hub_3',
}

export const listedInstallation: InstallationListItem = {
  code: 'FTBRAGG',
  name: 'Fort Bragg',
  branch: 'army',
  state: 'NC',
  acceptingDeliveries: true,
  accessLevel: 'id_required',
  photographyPermitted: false,
  supportedDeliveryPoints: ['cq_desk', 'mailroom', 'gate_handoff'],
}

export const installation: Installation = {
  ...listedInstallation,
  fpconLevel: 'normal',
  imagingRestrictions: 'no_recording_devices',
  permittedProofTypes: ['signature', 'pin_code', 'barcode'],
  prohibitedCargo: ['controlled_cargo'],
  gates: [
    {
      name: 'Longstreet Road ACP',
      commercialVehiclesPermitted: true,
      hours: '24/7',
      timezone: 'America/New_York',
    },
    {
      name: 'Knox Street Truck Plaza',
      commercialVehiclesPermitted: true,
      hours: 'Mon-Fri 05:00-21:00; Sat-Sun 05:00-13:00',
      timezone: 'America/New_York',
    },
  ],
  policyUpdatedAt: '2026-02-27T09:30:00.000Z',
}

export const serviceability: Serviceability = {
  serviceable: true,
  installation: { code: 'FTBRAGG', name: 'Fort Bragg', accessLevel: 'id_required', fpconLevel: 'normal' },
  recommendedGate: 'Longstreet Road ACP',
  credentialedDriversAvailable: true,
  permittedProofTypes: ['signature', 'pin_code', 'barcode'],
  suppressedProofTypes: ['photo'],
  supportedDeliveryPoints: ['cq_desk', 'mailroom', 'gate_handoff'],
  evaluatedAt: '2026-03-02T15:00:00.000Z',
}
