/**
 * The modules of undici that connections need. The whole package takes three times as long to load: fetch, WebSocket,
 * mocks and caches come with it.
 */
declare module 'undici/lib/dispatcher/pool.js' {
  import { Pool } from 'undici'
  export default Pool
}
declare module 'undici/lib/dispatcher/client.js' {
  import { Client } from 'undici'
  export default Client
}
