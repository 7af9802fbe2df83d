import type { HttpTrace } from '../../client/index.js'
import { plainText } from '../../render/plain-text.js'
import { paint, type Style } from '../../render/style.js'

/**
 * The lines that `--verbose` prints for an attempt: request, response, and what was unknown in it. Already redacted.
 */
export function traceLines(trace: HttpTrace, style: Pick<Style, 'colour'>): string[] {
  const { method, url, attempt, status, durationMs, error, retryInMs } = trace
  const dim = (text: string) => paint(style, 'dim', plainText(text))
  const head = (headers: Readonly<Record<string, string>>, mark: string) =>
    Object.entries(headers).map(([name, value]) => dim(`  ${mark} ${name}: ${value}`))
  const lines = [
    dim(`> ${method} ${url}${attempt > 1 ? ` (attempt ${attempt})` : ''}`),
    ...head(trace.requestHeaders, '>'),
  ]
  if (trace.requestBody !== undefined) lines.push(dim(`  > ${trace.requestBody}`))
  lines.push(
    dim(`< ${status ?? 'no response'} in ${Math.round(durationMs)} ms${error === undefined ? '' : `: ${error}`}`),
  )
  lines.push(...head(trace.responseHeaders, '<'))
  if (trace.responseBody !== undefined) lines.push(dim(`  < ${trace.responseBody}`))
  for (const { kind, path, value } of trace.drift)
    lines.push(dim(`  ! ${kind} ${path}${value === undefined ? '' : ` = ${JSON.stringify(value)}`}`))
  if (retryInMs !== undefined) lines.push(dim(`  trying again in ${Math.round(retryInMs)} ms`))
  return lines
}
