/** Which account a command speaks for: profiles, keys, webhook secrets, and where each value came from. */
export * from './base-address.js'
export * from './environment.js'
export * from './file-access.js'
export * from './keychain.js'
export * from './profile-file.js'
export * from './profile-store.js'
export * from './project-file.js'
export * from './settings.js'
