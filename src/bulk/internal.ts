/** What the command line uses of bulk runs beyond their public entry. */
export { type KeyOptions, PreparedOrder, prepareOrder } from './actions/prepared-order.js'
export { defaultConcurrency } from './concurrency.js'
export { csvRecords } from './input/csv-records.js'
export type { InputFormat } from './input/format.js'
export { jsonParserOf } from './input/json-rows.js'
export type { ParserPosition } from './input/row-source.js'
export { TextRows } from './input/rows.js'
export { readFileResults, readSharedResults } from './record/read-results.js'
