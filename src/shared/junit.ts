/** One case of a report: passed unless it failed or was skipped. */
interface JunitCase {
  classname: string
  name: string
  seconds?: number
  failure?: { message: string; text?: string }
  /** Why it was not tried or could not be observed. */
  skipped?: string
}

/** A report as JUnit XML, which CI servers display; `seconds` is how long all of it took, until now. Times are in UTC. */
export function junitXml(suite: string, cases: readonly JunitCase[], seconds?: number): string {
  const failures = cases.filter(({ failure }) => failure !== undefined).length
  const skipped = cases.filter((one) => one.skipped !== undefined).length
  const counts = `tests="${cases.length}" failures="${failures}" errors="0" skipped="${skipped}"${time(seconds)}`
  const started = new Date(Date.now() - (seconds ?? 0) * 1_000).toISOString().slice(0, 'YYYY-MM-DDTHH:MM:SS'.length)
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${counts}>`,
    `  <testsuite name="${xmlText(suite)}" ${counts} timestamp="${started}">`,
    ...cases.map((one) => `    ${caseElement(one)}`),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n')
}

function caseElement({ classname, name, seconds, failure, skipped }: JunitCase): string {
  const start = `<testcase classname="${xmlText(classname)}" name="${xmlText(name)}"${time(seconds)}`
  if (skipped !== undefined) return `${start}><skipped message="${xmlText(skipped)}"/></testcase>`
  if (failure === undefined) return `${start}/>`
  const { message, text } = failure
  const content = text === undefined ? '/>' : `>${xmlText(text)}</failure>`
  return `${start}><failure message="${xmlText(message)}"${content}</testcase>`
}

function time(seconds: number | undefined): string {
  return seconds === undefined ? '' : ` time="${seconds}"`
}

/** Escapes text for an element or a quoted attribute; characters that XML cannot contain become U+FFFD. */
function xmlText(text: string): string {
  const visible = text.replace(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd]/g, '\ufffd')
  return visible.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
