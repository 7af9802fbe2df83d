/** The pages of docs/commands/ by file name. */
export function commandPages(manifest: unknown, oclif: unknown): Map<string, string>
