import { UsageError } from '../contract/index.js'
import { readInputBytes } from './input-text.js'

/** A request as it was captured: header names and values in turn, and the body's exact bytes. */
export interface CapturedRequest {
  headers: string[]
  body: Buffer
}

/** Reads `--request`, or `--file` with `--header`s. Throws `UsageError` for what is no header. */
export async function readCapturedRequest(flags: {
  request?: string | undefined
  file?: string | undefined
  header?: string[] | undefined
}): Promise<CapturedRequest> {
  const given = (flags.header ?? []).flatMap(headerOf)
  if (flags.request !== undefined) {
    const { headers, body } = splitRequest(await readInputBytes(flags.request, '--request'))
    return { headers: [...headers, ...given], body }
  }
  if (flags.file === undefined)
    throw new UsageError('Give --file with the body and --header for each header, or --request with all of it.')
  return { headers: given, body: await readInputBytes(flags.file, '--file') }
}

function headerOf(line: string): [string, string] {
  const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+):[ \t]*(.*?)[ \t]*$/s.exec(line) ?? []
  if (name === undefined || value === undefined) throw new UsageError("--header takes 'name: value'.")
  return [name, value]
}

/** Cuts a captured request at its first empty line; a request line at the top is left out. The body keeps its bytes. */
function splitRequest(bytes: Buffer): CapturedRequest {
  const crlf = bytes.indexOf('\r\n\r\n')
  const lf = bytes.indexOf('\n\n')
  const isCrlf = crlf !== -1 && (lf === -1 || crlf < lf)
  const end = isCrlf ? crlf : lf
  if (end === -1) throw new UsageError('--request has no empty line between its headers and its body.')
  const lines = bytes.subarray(0, end).toString('latin1').split(/\r?\n/)
  const headers = lines.filter((line) => line !== '' && !/^[A-Z]+ \S+(?: HTTP\/[\d.]+)?$/.test(line)).flatMap(headerOf)
  return { headers, body: bytes.subarray(end + (isCrlf ? 4 : 2)) }
}
