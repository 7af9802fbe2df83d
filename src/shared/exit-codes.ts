/** The exit codes of the program. Scripts rely on them. */
export const exitCodes = {
  done: 0,
  defect: 1,
  usage: 2,
  notAllowed: 3,
  notFound: 4,
  conflict: 5,
  unfulfillable: 6,
  rateLimited: 7,
  noAnswer: 8,
  otherOutcome: 9,
  unknownCommand: 127,
  hungUp: 129,
  interrupted: 130,
  readerGone: 141,
  terminated: 143,
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]
