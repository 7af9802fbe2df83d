/** Which account a command uses: profiles, keys, webhook secrets, and the source of each value. */
export * from './base-address.js'
export * from './environment.js'
export * from './file-access.js'
export * from './keychain.js'
export * from './profile-file.js'
export * from './profile-store.js'
export * from './project-file.js'
export * from './settings.js'
