/** Bulk runs for the command line: more than their public entry. */
export { preparedOf, referenceOfRow } from './actions/row-action.js'
export { defaultConcurrency } from './concurrency.js'
export { csvRecords } from './input/csv-records.js'
export { type Rejection, rejectedLines } from './input/rejected-rows.js'
export { checkRunRecord, type IsSettled } from './record/file-record.js'
export { countOrders, newestOrders, removeOrders } from './record/ledger-accounts.js'
export { checkSharedRecord, readFileResults, readSharedResults } from './record/read-results.js'
export { isRowFailure } from './stop-reason.js'
