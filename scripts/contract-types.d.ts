export function contractTypes(): Promise<string>
