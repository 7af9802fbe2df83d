import { explanationsOf } from './explanation.js'

const exitRows = {
  '0': [
    'Success. Includes no quotes, `serviceable: false` and an unknown reference of --ref: the contract has no error for them.',
    'Nothing to retry.',
  ],
  '1': ['A bug in dlv itself.', 'Maybe. Please report it with the command and the message.', 'dlv --version'],
  '2': ['Wrong usage, or refused as malformed (400).', 'Not unchanged.', 'dlv <command> --help'],
  '3': ['Not allowed (401, 403).', 'Only with another key.', 'dlv profiles show'],
  '4': [
    'Not found (404): no such delivery, driver or installation, or no delivery with the reference.',
    'No.',
    'dlv deliveries list --from 7d',
  ],
  '5': [
    'Conflict (409): the reference, the key or the status rules this out, or several deliveries have the reference.',
    'Look at the existing delivery first.',
    'dlv deliveries get --ref <clientOrderReference>',
  ],
  '6': ['Understood, but cannot be fulfilled (422).', 'Maybe later or elsewhere.', 'dlv explain <error code>'],
  '7': [
    'Still rate limited (429) at --timeout, or a bulk run whose --timeout was up.',
    'Yes, later, or with a longer --timeout.',
    'dlv capabilities',
  ],
  '8': [
    'No usable response: network, TLS, timeout, 5xx, or a body that is not from the service.',
    'Yes: run the same command again; an order keeps its Idempotency-Key.',
    'dlv doctor',
  ],
  '9': [
    'The command ran, but the outcome is not the expected one: a question that was answered with no, a watch that ended in another status, failed rows, an invalid signature, a gap, degraded health, or results that could not be written.',
    'Depends on the outcome.',
  ],
  '127': ['The command does not exist.', 'Not unchanged.', 'dlv --help'],
  '129': [
    'Ended by SIGHUP: the terminal was closed.',
    'A bulk run resumes where it stopped: run the same command again.',
  ],
  '130': ['Interrupted by Ctrl-C.', 'A bulk run resumes where it stopped: run the same command again.'],
  '141': ['The reader of the output closed the pipe (`| head`).', 'Nothing to retry.'],
  '143': ['Terminated by SIGTERM.', 'A bulk run resumes where it stopped: run the same command again.'],
} as const

/** The words of `dlv explain 8` for an exit code. */
export const exitExplanations = explanationsOf('exit code', exitRows)
