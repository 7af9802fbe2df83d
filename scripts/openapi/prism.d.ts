export function prismProgram(): string
