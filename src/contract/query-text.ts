/** Formats query parameters as the service reads them: `true` or `false`, digits, and a repeated name for a list. */
export function formatQuery(query: Readonly<Record<string, unknown>>): URLSearchParams {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null) continue
    for (const single of Array.isArray(value) ? value : [value]) parameters.append(name, String(single))
  }
  return parameters
}
