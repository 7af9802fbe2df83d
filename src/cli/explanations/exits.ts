import { explanationsOf } from './explanation.js'

const rows = {
  '0': ['Done. Empty quotes, `serviceable: false` and an unknown reference are answers too.', 'Nothing to retry.'],
  '1': ['A defect in dlv.', 'Please report it with the command and the message.', 'dlv --version'],
  '2': ['Wrong usage, or refused as malformed (400).', 'Not unchanged.', 'dlv <command> --help'],
  '3': ['Not allowed (401, 403).', 'Only with another key.', 'dlv profiles show'],
  '4': [
    'Not found (404): no such delivery, driver or installation.',
    'Not unchanged.',
    'dlv deliveries list --from 7d',
  ],
  '5': [
    'Conflict (409): the order, the key or the status stands against it.',
    'Look first at what exists.',
    'dlv deliveries get --ref <clientOrderReference>',
  ],
  '6': ['Understood, but cannot be fulfilled (422).', 'Perhaps later or elsewhere.', 'dlv explain <error code>'],
  '7': [
    'Still rate limited when the time allowed was over (429).',
    'Yes, later, or with a longer --timeout.',
    'dlv capabilities',
  ],
  '8': [
    "No usable answer: network, TLS, timeout, 5xx, or a body that is not the service's.",
    'Yes: the same command again; an order keeps its key.',
    'dlv doctor',
  ],
  '9': [
    'Answered, but the outcome is not the one asked for: a watch that ended elsewhere, part of a bulk run, a signature that does not verify, a gap, degraded health, results that could not be written (a full disk).',
    'Depends on the outcome.',
  ],
  '127': ['There is no such command.', 'Not unchanged.', 'dlv --help'],
  '130': ['Interrupted by Ctrl-C.', 'As you like; a bulk run resumes where it stopped.'],
  '141': ['The reader of the output went away (`| head`).', 'Nothing to retry.'],
  '143': ['Terminated by SIGTERM.', 'As you like; a bulk run resumes where it stopped.'],
} as const

export const exitExplanations = explanationsOf('exit code', rows)
