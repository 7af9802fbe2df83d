export function packedBases(): string
