import data from './installations.json' with { type: 'json' }

export { packedZipCodes } from './zip-codes.generated.js'
export const installations = data
