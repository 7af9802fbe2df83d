export function installationZips(): string
