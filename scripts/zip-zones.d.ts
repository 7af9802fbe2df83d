export function zipZones(): string
