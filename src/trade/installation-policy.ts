import type { Gate, Installation } from '../contract/index.js'

/** Force protection conditions that keep every delivery out. */
export const elevatedFpcon: ReadonlySet<string> = new Set(['charlie', 'delta'])

/** The name of a check among an installation's permitted proof types; `identity` leaves no proof behind. */
export const permittedProofName = { photo: 'photo', signature: 'signature', pinCode: 'pin_code', barcode: 'barcode' }

/** The gates that let commercial vehicles in, or are not said to keep them out: the only ones that count for a delivery. */
export function commercialGates<OneGate extends Pick<Gate, 'commercialVehiclesPermitted'>>(installation: {
  gates?: readonly OneGate[] | null | undefined
}): OneGate[] {
  return (installation.gates ?? []).filter((gate) => gate.commercialVehiclesPermitted !== false)
}

type ProofPolicy = Pick<Installation, 'photographyPermitted' | 'permittedProofTypes'>

/** Photographs need the installation's leave as well as a place among its permitted proof types. */
export function permitsProof(type: string, { photographyPermitted, permittedProofTypes }: ProofPolicy): boolean {
  if (type === permittedProofName.photo && photographyPermitted === false) return false
  return permittedProofTypes?.includes(type) ?? true
}

/** Whether a check may be made; one that leaves no proof behind always may. */
export function permitsCheck(mechanism: string, policy: ProofPolicy): boolean {
  if (!Object.hasOwn(permittedProofName, mechanism)) return true
  return permitsProof(permittedProofName[mechanism as keyof typeof permittedProofName], policy)
}
