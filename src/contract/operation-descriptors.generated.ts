// Written by `npm run descriptors` from the contract's rows; a test checks that it is current.
import type { OperationName } from './operations.js'
import type { OperationDescriptor } from './operation-descriptor.js'
import type { Shape } from './shape.js'

const shape1: Shape = { fields: { "quotes": "boolean", "marketplaceDispatch": "boolean", "ownedFleetDispatch": "boolean", "returns": "boolean", "requirementEnforcement": "boolean", "driverLocationStreaming": "boolean", "routeOptimization": "boolean", "itemLevelPackage": "boolean", "cancellationFees": "boolean", "maxRequestsPerSecond": "integer" }, required: [] }
const shape2: Shape = { fields: { "accountType": "string", "capabilities": shape1 }, required: ["accountType","capabilities"] }
const shape3: Shape = { fields: { "status": "string", "checkedAt": "string" }, required: ["status"] }
const shape4: Shape = { anyOf: ["string", "null"] }
const shape5: Shape = { fields: { "quoteId": "string", "carrierId": shape4, "carrierName": shape4, "currency": shape4, "totalPriceCents": "integer", "pickupEta": shape4, "dropoffEta": shape4 }, required: ["quoteId","totalPriceCents"] }
const shape6: Shape = { list: shape5 }
const shape7: Shape = { fields: { "clientOrderReference": shape4, "quotes": shape6, "expiresAt": shape4, "noQuoteReason": shape4 }, required: ["quotes"] }
const shape8: Shape = { fields: { "status": "string", "occurredAt": "string", "statusReasonCode": shape4, "statusReason": shape4 }, required: [] }
const shape9: Shape = { list: shape8 }
const shape10: Shape = { anyOf: [shape9, "null"] }
const shape11: Shape = { fields: { "storeReference": shape4, "businessName": shape4 }, required: [] }
const shape12: Shape = { anyOf: [shape11, "null"] }
const shape13: Shape = { fields: { "line1": shape4, "city": shape4, "state": shape4, "postalCode": shape4 }, required: [] }
const shape14: Shape = { anyOf: ["string", shape13, "null"] }
const shape15: Shape = { fields: { "code": shape4, "gate": shape4 }, required: [] }
const shape16: Shape = { anyOf: [shape15, "null"] }
const shape17: Shape = { fields: { "buildingNumber": shape4, "room": shape4, "unitDesignation": shape4, "deliveryPoint": shape4 }, required: [] }
const shape18: Shape = { anyOf: [shape17, "null"] }
const shape19: Shape = { fields: { "address": shape14, "contactName": shape4, "contactPhone": shape4, "instructions": shape4, "installation": shape16, "unit": shape18 }, required: [] }
const shape20: Shape = { anyOf: [shape19, "null"] }
const shape21: Shape = { anyOf: ["integer", "null"] }
const shape22: Shape = { fields: { "currency": "string", "deliveryFeeCents": "integer", "tipAmountCents": shape21, "cancellationFeeCents": shape21, "totalPriceCents": "integer" }, required: [] }
const shape23: Shape = { anyOf: [shape22, "null"] }
const shape24: Shape = { fields: { "latitude": "number", "longitude": "number", "updatedAt": shape4 }, required: ["latitude","longitude"] }
const shape25: Shape = { anyOf: [shape24, "null"] }
const shape26: Shape = { fields: { "id": "string", "name": shape4, "phoneNumber": shape4, "vehicleDescription": shape4, "location": shape25 }, required: [] }
const shape27: Shape = { anyOf: [shape26, "null"] }
const shape28: Shape = { fields: { "type": "string", "stage": "string", "url": shape4, "capturedAt": shape4 }, required: ["type"] }
const shape29: Shape = { list: shape28 }
const shape30: Shape = { anyOf: [shape29, "null"] }
const shape31: Shape = { map: "any" }
const shape32: Shape = { fields: { "mechanism": "string", "level": "string", "minimumAge": "integer", "source": "string" }, required: [] }
const shape33: Shape = { list: shape32 }
const shape34: Shape = { fields: { "mechanism": "string", "reason": "string", "substitutedBy": shape4 }, required: [] }
const shape35: Shape = { list: shape34 }
const shape36: Shape = { fields: { "dropoff": shape31, "derived": shape33, "suppressed": shape35 }, required: [] }
const shape37: Shape = { anyOf: [shape36, "null"] }
const shape38: Shape = { fields: { "deliveryId": "non-empty string", "clientOrderReference": shape4, "status": "string", "statusReason": shape4, "statusReasonCode": shape4, "statusHistory": shape10, "pickup": shape12, "dropoff": shape20, "pricing": shape23, "driver": shape27, "proofOfDelivery": shape30, "resolvedVerification": shape37, "trackingUrl": shape4, "createdAt": shape4, "updatedAt": shape4 }, required: ["deliveryId","status"] }
const shape39: Shape = { fields: { "deliveryId": "non-empty string", "clientOrderReference": shape4, "status": "string", "createdAt": shape4, "updatedAt": shape4 }, required: ["deliveryId","status"] }
const shape40: Shape = { list: shape39 }
const shape41: Shape = { fields: { "deliveries": shape40, "nextCursor": shape4 }, required: ["deliveries"] }
const shape42: Shape = { list: "string" }
const shape43: Shape = { fields: { "deliveryId": "string", "livemode": "boolean", "status": "string", "emittedEvents": shape42 }, required: ["deliveryId","status","emittedEvents"] }
const shape44: Shape = { anyOf: ["boolean", "null"] }
const shape45: Shape = { anyOf: [shape42, "null"] }
const shape46: Shape = { fields: { "id": "string", "name": shape4, "phoneNumber": shape4, "onDuty": shape44, "status": shape4, "teams": shape45, "vehicleDescription": shape4 }, required: ["id"] }
const shape47: Shape = { list: shape46 }
const shape48: Shape = { fields: { "id": "string", "name": shape4, "workerCount": shape21, "hubDestinationId": shape4 }, required: ["id"] }
const shape49: Shape = { list: shape48 }
const shape50: Shape = { fields: { "code": "string", "name": shape4, "branch": shape4, "state": shape4, "acceptingDeliveries": shape44, "accessLevel": shape4, "photographyPermitted": shape44, "supportedDeliveryPoints": shape45 }, required: ["code"] }
const shape51: Shape = { list: shape50 }
const shape52: Shape = { fields: { "installations": shape51, "nextCursor": shape4 }, required: ["installations"] }
const shape53: Shape = { fields: { "name": "string", "commercialVehiclesPermitted": shape44, "hours": shape4, "timezone": shape4 }, required: ["name"] }
const shape54: Shape = { list: shape53 }
const shape55: Shape = { anyOf: [shape54, "null"] }
const shape56: Shape = { fields: { "code": "string", "name": shape4, "branch": shape4, "state": shape4, "acceptingDeliveries": shape44, "accessLevel": shape4, "photographyPermitted": shape44, "supportedDeliveryPoints": shape45, "fpconLevel": shape4, "imagingRestrictions": shape4, "permittedProofTypes": shape45, "prohibitedCargo": shape45, "gates": shape55, "policyUpdatedAt": shape4 }, required: ["code"] }
const shape57: Shape = { fields: { "code": "string", "name": shape4, "accessLevel": shape4, "fpconLevel": shape4 }, required: ["code"] }
const shape58: Shape = { anyOf: [shape57, "null"] }
const shape59: Shape = { fields: { "serviceable": "boolean", "reasonCode": shape4, "reason": shape4, "installation": shape58, "recommendedGate": shape4, "credentialedDriversAvailable": shape44, "permittedProofTypes": shape45, "suppressedProofTypes": shape45, "supportedDeliveryPoints": shape45, "retryAfter": shape4, "evaluatedAt": shape4 }, required: ["serviceable"] }
const shape60: Shape = { fields: { "eventId": "non-empty string", "eventType": "string", "occurredAt": "string", "livemode": "boolean", "deliveryId": shape4, "deliveryAttempts": shape21, "lastDeliveryStatus": shape4, "lastAttemptAt": shape4, "data": "any" }, required: ["eventId","eventType","occurredAt","data"] }
const shape61: Shape = { list: shape60 }
const shape62: Shape = { fields: { "events": shape61, "nextCursor": shape4 }, required: ["events"] }

/** What a client needs of each operation, without its schemas. */
export const operationDescriptors: Readonly<Record<OperationName, OperationDescriptor>> = {
getCapabilities: { "method":"GET","path":"/capabilities", responses: { 200: shape2 } },
getHealth: { "method":"GET","path":"/health","authenticated":false, responses: { 200: shape3, 503: shape3 } },
createQuote: { "method":"POST","path":"/quotes", responses: { 200: shape7 } },
createDelivery: { "method":"POST","path":"/deliveries","idempotencyKey":"required", responses: { 200: shape38, 201: shape38 } },
getDelivery: { "method":"GET","path":"/deliveries/{deliveryId}", responses: { 200: shape38 } },
listDeliveries: { "method":"GET","path":"/deliveries","pageOf":"deliveries", responses: { 200: shape41 } },
updateDelivery: { "method":"PATCH","path":"/deliveries/{deliveryId}", responses: { 200: shape38 } },
cancelDelivery: { "method":"POST","path":"/deliveries/{deliveryId}/cancel","idempotencyKey":"optional", responses: { 200: shape38 } },
simulateDelivery: { "method":"POST","path":"/deliveries/{deliveryId}/simulate", responses: { 200: shape43 } },
listDrivers: { "method":"GET","path":"/drivers", responses: { 200: shape47 } },
getDriver: { "method":"GET","path":"/drivers/{driverId}", responses: { 200: shape46 } },
listTeams: { "method":"GET","path":"/teams", responses: { 200: shape49 } },
listInstallations: { "method":"GET","path":"/installations","pageOf":"installations", responses: { 200: shape52 } },
getInstallation: { "method":"GET","path":"/installations/{installationCode}", responses: { 200: shape56 } },
checkServiceability: { "method":"POST","path":"/serviceability", responses: { 200: shape59 } },
listEvents: { "method":"GET","path":"/events","pageOf":"events", responses: { 200: shape62 } },
}
