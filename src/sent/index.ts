/** What was sent from this machine: orders on disk before their requests, and what is known of them afterwards. */

export { type KnownOrders, type SentLine, type SentOrder, SentOrders } from './facts.js'
export { type LedgerOptions, openOrderLedger, type SentLedger } from './ledger.js'
export { countSent, newestOrders, readSentSince, removeSent, type SentPosition } from './read.js'
export { recordingFrom, sendRecorded } from './send.js'
export { type OrderTexts, type SentTexts, takeTexts, textsFile, waitingTexts, withLaterTexts } from './texts.js'
