export function drawnInstallations(): string
