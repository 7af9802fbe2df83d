import { errorCodes, initialStatuses, noQuoteReasons } from '../../contract/index.js'
import { paces } from '../model.js'
import { fixtureInstallations } from './fixture-installations.js'
import {
  expiredQuoteId,
  futureNoQuoteReason,
  legacyNoQuoteReason,
  magicBeginnings,
  phoneOutcomes,
  refusedPhone,
  slowStore,
  storeNoQuoteReasons,
  storeRefusals,
  unknownLine,
  unknownStore,
  unknownTeamReference,
  unsupportedCargo,
  zipNoQuoteReasons,
  zipRefusals,
} from './magic-tables.js'
import { outcomes } from './outcomes.js'
import { contentFaults, sendingFaults } from './webhook-faults.js'

/** A magic value as an order carries it. */
export interface MagicOrderValue {
  /** The path in the body of `POST /deliveries`, such as `dropoff.contactPhone`. */
  path: string
  value: string
}

/** Every magic value that an order or a request for quotes can carry; patterns appear once for each token. */
export function magicOrderValues(): MagicOrderValue[] {
  const tokens = [...errorCodes, ...outcomes, ...noQuoteReasons, legacyNoQuoteReason, futureNoQuoteReason]
  return [
    ...at(
      'clientOrderReference',
      [...new Set(tokens)].map((token) => `${magicBeginnings.reference}${token}-1`),
    ),
    ...at('quoteId', [expiredQuoteId]),
    ...at('pickup.storeReference', [
      unknownStore,
      slowStore,
      ...Object.keys(storeRefusals),
      ...Object.keys(storeNoQuoteReasons),
    ]),
    ...at('dropoff.contactPhone', [...Object.keys(phoneOutcomes), refusedPhone]),
    ...at('dropoff.address.postalCode', [...Object.keys(zipRefusals), ...Object.keys(zipNoQuoteReasons)]),
    ...at('dropoff.address.line1', [unknownLine]),
    ...at(
      'dropoff.installation.code',
      fixtureInstallations.map(({ code }) => code),
    ),
    ...at('dispatch.teamReference', [unknownTeamReference]),
    ...at('package.contains', [unsupportedCargo]),
    ...at('metadata.sandbox_outcome', [...errorCodes, ...outcomes]),
    ...at('metadata.sandbox_pace', paces),
    ...at('metadata.sandbox_create', initialStatuses),
    ...at('metadata.sandbox_hooks', [...Object.keys(contentFaults), ...Object.keys(sendingFaults)]),
  ]
}

function at(path: string, values: readonly string[]): MagicOrderValue[] {
  return values.map((value) => ({ path, value }))
}
