export * from './document.js'
