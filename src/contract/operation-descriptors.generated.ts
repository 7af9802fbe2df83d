// Written by `npm run descriptors` from the contract's rows; a test checks that it is current.
import type { OperationName } from './operations.js'
import type { OperationDescriptor } from './operation-descriptor.js'
import type { Shape } from './shape.js'

const shape1: Shape = { known: ["marketplace","owned_fleet"] }
const shape2: Shape = { fields: { "quotes": "boolean", "marketplaceDispatch": "boolean", "ownedFleetDispatch": "boolean", "returns": "boolean", "requirementEnforcement": "boolean", "driverLocationStreaming": "boolean", "routeOptimization": "boolean", "itemLevelPackage": "boolean", "cancellationFees": "boolean", "maxRequestsPerSecond": "integer" }, required: [] }
const shape3: Shape = { fields: { "accountType": shape1, "capabilities": shape2 }, required: ["accountType","capabilities"] }
const shape4: Shape = { known: ["healthy","degraded"] }
const shape5: Shape = { fields: { "status": shape4, "checkedAt": "string" }, required: ["status"] }
const shape6: Shape = { anyOf: ["string", "null"] }
const shape7: Shape = { fields: { "quoteId": "string", "carrierId": shape6, "carrierName": shape6, "currency": shape6, "totalPriceCents": "integer", "pickupEta": shape6, "dropoffEta": shape6 }, required: ["quoteId","totalPriceCents"] }
const shape8: Shape = { list: shape7 }
const shape9: Shape = { known: ["OUTSIDE_COVERAGE","NO_CAPACITY","OUTSIDE_HOURS","REQUIREMENT_UNSUPPORTED"] }
const shape10: Shape = { anyOf: [shape9, "null"] }
const shape11: Shape = { fields: { "clientOrderReference": shape6, "quotes": shape8, "expiresAt": shape6, "noQuoteReason": shape10 }, required: ["quotes"] }
const shape12: Shape = { known: ["scheduled","accepted","dispatch_failed","reassigning","driver_assigned","driver_enroute_to_pickup","driver_at_pickup","pickup_complete","driver_enroute_to_dropoff","driver_at_dropoff","delivered","failed","return_in_progress","returned","cancelled","expired"] }
const shape13: Shape = { known: ["recipient_unavailable","recipient_refused","recipient_not_at_cq","address_not_found","address_inaccessible","unsupported_destination_type","denied_at_gate","credential_expired","credential_not_valid_for_installation","gate_closed","fpcon_elevated","escort_unavailable","verification_failed","age_verification_failed","photography_prohibited_no_substitute","package_damaged","package_not_ready","no_carrier_available","outside_service_area","quote_expired","cancelled_by_merchant","cancelled_by_recipient","cancelled_by_carrier","cancelled_by_service","weather_or_road_closure"] }
const shape14: Shape = { anyOf: [shape13, "null"] }
const shape15: Shape = { fields: { "status": shape12, "occurredAt": "string", "statusReasonCode": shape14, "statusReason": shape6 }, required: [] }
const shape16: Shape = { list: shape15 }
const shape17: Shape = { anyOf: [shape16, "null"] }
const shape18: Shape = { fields: { "storeReference": shape6, "businessName": shape6 }, required: [] }
const shape19: Shape = { anyOf: [shape18, "null"] }
const shape20: Shape = { fields: { "line1": shape6, "city": shape6, "state": shape6, "postalCode": shape6 }, required: [] }
const shape21: Shape = { anyOf: ["string", shape20, "null"] }
const shape22: Shape = { fields: { "code": shape6, "gate": shape6 }, required: [] }
const shape23: Shape = { anyOf: [shape22, "null"] }
const shape24: Shape = { known: ["cq_desk","mailroom","gate_handoff","visitor_center"] }
const shape25: Shape = { anyOf: [shape24, "null"] }
const shape26: Shape = { fields: { "buildingNumber": shape6, "room": shape6, "unitDesignation": shape6, "deliveryPoint": shape25 }, required: [] }
const shape27: Shape = { anyOf: [shape26, "null"] }
const shape28: Shape = { fields: { "address": shape21, "contactName": shape6, "contactPhone": shape6, "instructions": shape6, "installation": shape23, "unit": shape27 }, required: [] }
const shape29: Shape = { anyOf: [shape28, "null"] }
const shape30: Shape = { anyOf: ["integer", "null"] }
const shape31: Shape = { fields: { "currency": "string", "deliveryFeeCents": "integer", "tipAmountCents": shape30, "cancellationFeeCents": shape30, "totalPriceCents": "integer" }, required: [] }
const shape32: Shape = { anyOf: [shape31, "null"] }
const shape33: Shape = { fields: { "latitude": "number", "longitude": "number", "updatedAt": shape6 }, required: ["latitude","longitude"] }
const shape34: Shape = { anyOf: [shape33, "null"] }
const shape35: Shape = { fields: { "id": "string", "name": shape6, "phoneNumber": shape6, "vehicleDescription": shape6, "location": shape34 }, required: [] }
const shape36: Shape = { anyOf: [shape35, "null"] }
const shape37: Shape = { known: ["photo","signature","barcode","pincode"] }
const shape38: Shape = { known: ["dropoff"] }
const shape39: Shape = { fields: { "type": shape37, "stage": shape38, "url": shape6, "capturedAt": shape6 }, required: ["type"] }
const shape40: Shape = { list: shape39 }
const shape41: Shape = { anyOf: [shape40, "null"] }
const shape42: Shape = { map: "any" }
const shape43: Shape = { known: ["photo","signature","identity","pinCode","barcode"] }
const shape44: Shape = { fields: { "mechanism": shape43, "level": "string", "minimumAge": "integer", "source": "string" }, required: [] }
const shape45: Shape = { list: shape44 }
const shape46: Shape = { fields: { "mechanism": shape43, "reason": "string", "substitutedBy": shape6 }, required: [] }
const shape47: Shape = { list: shape46 }
const shape48: Shape = { fields: { "dropoff": shape42, "derived": shape45, "suppressed": shape47 }, required: [] }
const shape49: Shape = { anyOf: [shape48, "null"] }
const shape50: Shape = { fields: { "deliveryId": "non-empty string", "clientOrderReference": shape6, "status": shape12, "statusReason": shape6, "statusReasonCode": shape14, "statusHistory": shape17, "pickup": shape19, "dropoff": shape29, "pricing": shape32, "driver": shape36, "proofOfDelivery": shape41, "resolvedVerification": shape49, "trackingUrl": shape6, "createdAt": shape6, "updatedAt": shape6 }, required: ["deliveryId","status"] }
const shape51: Shape = { fields: { "deliveryId": "non-empty string", "clientOrderReference": shape6, "status": shape12, "createdAt": shape6, "updatedAt": shape6 }, required: ["deliveryId","status"] }
const shape52: Shape = { list: shape51 }
const shape53: Shape = { fields: { "deliveries": shape52, "nextCursor": shape6 }, required: ["deliveries"] }
const shape54: Shape = { known: ["delivery.scheduled","delivery.accepted","delivery.dispatch_failed","delivery.reassigning","delivery.driver_assigned","delivery.driver_enroute_to_pickup","delivery.driver_at_pickup","delivery.pickup_complete","delivery.driver_enroute_to_dropoff","delivery.driver_at_dropoff","delivery.delivered","delivery.failed","delivery.return_in_progress","delivery.returned","delivery.cancelled","delivery.expired","delivery.driver_location_updated","delivery.eta_updated","delivery.proof_of_delivery_added","driver.created","driver.updated","driver.deleted","driver.duty_changed","installation.access_policy_changed"] }
const shape55: Shape = { list: shape54 }
const shape56: Shape = { fields: { "deliveryId": "string", "livemode": "boolean", "status": shape12, "emittedEvents": shape55 }, required: ["deliveryId","status","emittedEvents"] }
const shape57: Shape = { anyOf: ["boolean", "null"] }
const shape58: Shape = { known: ["active","inactive"] }
const shape59: Shape = { anyOf: [shape58, "null"] }
const shape60: Shape = { list: "string" }
const shape61: Shape = { anyOf: [shape60, "null"] }
const shape62: Shape = { fields: { "id": "string", "name": shape6, "phoneNumber": shape6, "onDuty": shape57, "status": shape59, "teams": shape61, "vehicleDescription": shape6 }, required: ["id"] }
const shape63: Shape = { list: shape62 }
const shape64: Shape = { fields: { "id": "string", "name": shape6, "workerCount": shape30, "hubDestinationId": shape6 }, required: ["id"] }
const shape65: Shape = { list: shape64 }
const shape66: Shape = { known: ["army","navy","air_force","marine_corps","space_force","coast_guard","joint","dla"] }
const shape67: Shape = { anyOf: [shape66, "null"] }
const shape68: Shape = { known: ["id_required","escort_required","restricted"] }
const shape69: Shape = { anyOf: [shape68, "null"] }
const shape70: Shape = { list: shape24 }
const shape71: Shape = { anyOf: [shape70, "null"] }
const shape72: Shape = { fields: { "code": "string", "name": shape6, "branch": shape67, "state": shape6, "acceptingDeliveries": shape57, "accessLevel": shape69, "photographyPermitted": shape57, "supportedDeliveryPoints": shape71 }, required: ["code"] }
const shape73: Shape = { list: shape72 }
const shape74: Shape = { fields: { "installations": shape73, "nextCursor": shape6 }, required: ["installations"] }
const shape75: Shape = { known: ["normal","alpha","bravo","charlie","delta"] }
const shape76: Shape = { anyOf: [shape75, "null"] }
const shape77: Shape = { known: ["no_recording_devices"] }
const shape78: Shape = { anyOf: [shape77, "null"] }
const shape79: Shape = { known: ["photo","signature","pin_code","barcode"] }
const shape80: Shape = { list: shape79 }
const shape81: Shape = { anyOf: [shape80, "null"] }
const shape82: Shape = { fields: { "name": "string", "commercialVehiclesPermitted": shape57, "hours": shape6, "timezone": shape6 }, required: ["name"] }
const shape83: Shape = { list: shape82 }
const shape84: Shape = { anyOf: [shape83, "null"] }
const shape85: Shape = { fields: { "code": "string", "name": shape6, "branch": shape67, "state": shape6, "acceptingDeliveries": shape57, "accessLevel": shape69, "photographyPermitted": shape57, "supportedDeliveryPoints": shape71, "fpconLevel": shape76, "imagingRestrictions": shape78, "permittedProofTypes": shape81, "prohibitedCargo": shape61, "gates": shape84, "policyUpdatedAt": shape6 }, required: ["code"] }
const shape86: Shape = { fields: { "code": "string", "name": shape6, "accessLevel": shape69, "fpconLevel": shape76 }, required: ["code"] }
const shape87: Shape = { anyOf: [shape86, "null"] }
const shape88: Shape = { fields: { "serviceable": "boolean", "reasonCode": shape6, "reason": shape6, "installation": shape87, "recommendedGate": shape6, "credentialedDriversAvailable": shape57, "permittedProofTypes": shape61, "suppressedProofTypes": shape61, "supportedDeliveryPoints": shape61, "retryAfter": shape6, "evaluatedAt": shape6 }, required: ["serviceable"] }
const shape89: Shape = { known: ["pending","failed","no_endpoint_configured","delivered"] }
const shape90: Shape = { anyOf: [shape89, "null"] }
const shape91: Shape = { fields: { "eventId": "non-empty string", "eventType": shape54, "occurredAt": "string", "livemode": "boolean", "deliveryId": shape6, "deliveryAttempts": shape30, "lastDeliveryStatus": shape90, "lastAttemptAt": shape6, "data": "any" }, required: ["eventId","eventType","occurredAt","data"] }
const shape92: Shape = { list: shape91 }
const shape93: Shape = { fields: { "events": shape92, "nextCursor": shape6 }, required: ["events"] }

/** What a client needs of each operation, without its schemas. */
export const operationDescriptors: Readonly<Record<OperationName, OperationDescriptor>> = {
getCapabilities: { "method":"GET","path":"/capabilities", responses: { 200: shape3 } },
getHealth: { "method":"GET","path":"/health","authenticated":false, responses: { 200: shape5, 503: shape5 } },
createQuote: { "method":"POST","path":"/quotes", responses: { 200: shape11 } },
createDelivery: { "method":"POST","path":"/deliveries","idempotencyKey":"required", responses: { 200: shape50, 201: shape50 } },
getDelivery: { "method":"GET","path":"/deliveries/{deliveryId}", responses: { 200: shape50 } },
listDeliveries: { "method":"GET","path":"/deliveries","pageOf":"deliveries", responses: { 200: shape53 } },
updateDelivery: { "method":"PATCH","path":"/deliveries/{deliveryId}", responses: { 200: shape50 } },
cancelDelivery: { "method":"POST","path":"/deliveries/{deliveryId}/cancel","idempotencyKey":"optional", responses: { 200: shape50 } },
simulateDelivery: { "method":"POST","path":"/deliveries/{deliveryId}/simulate", responses: { 200: shape56 } },
listDrivers: { "method":"GET","path":"/drivers", responses: { 200: shape63 } },
getDriver: { "method":"GET","path":"/drivers/{driverId}", responses: { 200: shape62 } },
listTeams: { "method":"GET","path":"/teams", responses: { 200: shape65 } },
listInstallations: { "method":"GET","path":"/installations","pageOf":"installations", responses: { 200: shape74 } },
getInstallation: { "method":"GET","path":"/installations/{installationCode}", responses: { 200: shape85 } },
checkServiceability: { "method":"POST","path":"/serviceability", responses: { 200: shape88 } },
listEvents: { "method":"GET","path":"/events","pageOf":"events", responses: { 200: shape93 } },
}
