export function withHistory(text: string): Promise<string>
