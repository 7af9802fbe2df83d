/** The inspector: a page in the browser that shows what a service does, and changes it if it is a sandbox. */
export type {
  Backend,
  Control,
  DeliveryList,
  Download,
  GatherReports,
  OrderUnderWay,
  PlacedPage,
  PlacedRow,
} from './server/backend.js'
export { type Inspector, type InspectorOptions, startInspector } from './server/server.js'
export type { Board } from './wire/deliveries.js'
export type { DeliverySummary } from './wire/live.js'
