/**
 * The one module of undici that a direct connection needs. The whole package takes three times as long to load: fetch,
 * WebSocket, mocks and caches come with it.
 */
declare module 'undici/lib/dispatcher/pool.js' {
  import { Pool } from 'undici'
  export default Pool
}
