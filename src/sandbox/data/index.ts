import { drawnInstallations } from './drawn-installations.js'
import data from './installations.json' with { type: 'json' }

export { packedZipCodes } from './zip-codes.generated.js'

/** Those by hand come first: their codes, policies and order stay as they are. */
export const installations = [...data, ...drawnInstallations()]
