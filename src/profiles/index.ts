/** Which account a command uses: profiles, keys, webhook secrets, and the source of each value. */
export * from './account-choice.js'
export * from './account-record.js'
export * from './environment.js'
export * from './keychain.js'
export * from './known-keys.js'
export * from './profile-file.js'
export * from './project-file.js'
export * from './settings.js'
