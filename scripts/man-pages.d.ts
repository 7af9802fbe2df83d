export function pageName(id: string): string
export function manPages(manifest: unknown, oclif: unknown, date: string): Promise<Map<string, string>>
