/** For the command line, besides what is published: how machines that share a journal know accounts. */

export { journalMarks } from './journal/account-marks.js'
export { accountOf, accountsServed } from './journal/event.js'
