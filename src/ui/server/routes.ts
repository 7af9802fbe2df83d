import type { Route } from './route.js'
import { deliveryRoutes } from './routes/deliveries.js'
import { liveRoutes } from './routes/live.js'
import { sessionRoutes } from './routes/session.js'

/** Every route below `/ui/api`, one file per topic. */
export const routes: readonly Route[] = [...sessionRoutes, ...liveRoutes, ...deliveryRoutes]
