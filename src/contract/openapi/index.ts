export * from './document.js'
export * from './version-3-0.js'
