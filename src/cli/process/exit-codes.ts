import { type ConnectionError, type DlvError, errorStatuses, isKnownErrorCode } from '../../contract/index.js'
import { type ExitCode, exitCodes } from '../../shared/exit-codes.js'

export { type ExitCode, exitCodes }

const byStatus: Readonly<Record<number, ExitCode>> = {
  401: exitCodes.notAllowed,
  403: exitCodes.notAllowed,
  404: exitCodes.notFound,
  409: exitCodes.conflict,
  422: exitCodes.unfulfillable,
  429: exitCodes.rateLimited,
}

/** The exit code of an HTTP error status. */
export function exitCodeOfStatus(status: number): ExitCode {
  return byStatus[status] ?? (status >= 500 ? exitCodes.noAnswer : exitCodes.usage)
}

/**
 * The exit code of an error response: by its error code, or by its status if the error code is unknown or comes with
 * several (an illegal move of `simulate` is a 422, of an update a 409).
 */
export function exitCodeOfRefusal(code: string, status: number): ExitCode {
  const [known = status, ...others] = isKnownErrorCode(code) ? errorStatuses[code] : []
  return exitCodeOfStatus(others.length > 0 ? status : known)
}

/** The exit code of one of our errors. */
export function exitCodeOf(error: DlvError): ExitCode {
  switch (error.kind) {
    case 'usage':
      return exitCodes.usage
    case 'signature':
      return exitCodes.otherOutcome
    case 'api':
      return exitCodeOfRefusal(error.code, error.status)
    case 'connection':
      return exitCodeOfFailedExchange(error)
    default:
      return exitCodes.noAnswer
  }
}

/**
 * Something in front of the service is judged by its status too, though it does not speak for the service. A request
 * that is held back is one that the service would refuse with 429.
 */
function exitCodeOfFailedExchange(error: DlvError): ExitCode {
  const { reason, status = 0 } = error as ConnectionError
  if (reason === 'held') return exitCodes.rateLimited
  if (reason === 'proxy-refused') return exitCodes.notAllowed
  return reason === 'not-the-service' && status >= 400 ? exitCodeOfStatus(status) : exitCodes.noAnswer
}
