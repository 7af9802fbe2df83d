/** The pages of docs/commands: file name to text. */
export function commandPages(manifest: unknown, oclif: unknown): Map<string, string>
