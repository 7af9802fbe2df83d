import type { DeliveryCreate } from 'dlv-cli/contract'

export function order(reference: string): DeliveryCreate
