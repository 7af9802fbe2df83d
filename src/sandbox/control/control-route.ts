import type { z } from 'zod'
import type { Engine } from '../engine/engine.js'
import type { RouteMethod } from '../http/exchange.js'
import type { RequestLog } from '../http/request-log.js'
import type { Worker } from '../worker/worker.js'
import type { Snapshots } from './snapshot-files.js'

/** The dependencies of a control route. */
export interface ControlContext {
  engine: Engine
  worker: Worker
  log: RequestLog
  snapshots: Snapshots
}

/** A steering call: what it is given, read, and what it answers with. */
export interface ControlCall {
  parameters: Readonly<Record<string, string>>
  query: URLSearchParams
  /** The address of this machine that the caller reached; absent if the caller is in this process. */
  reachedAt: string | undefined
  /** The query by its schema; throws the 400 for one that does not fit. */
  queryAs<Schema extends z.ZodType>(schema: Schema): z.output<Schema>
  /** The body by its schema; throws the 400 for one that does not fit. An empty body counts as `{}`. */
  body<Schema extends z.ZodType>(schema: Schema): Promise<z.output<Schema>>
}

/** Handlers by method and path, such as `POST /clock`. Each returns the JSON value to answer with, or a `ControlAnswer`. */
export type ControlRoutes = Record<`${RouteMethod} /${string}`, (call: ControlCall) => unknown>

/** A response with a status other than 200. */
export class ControlAnswer {
  constructor(
    readonly status: number,
    readonly value: unknown,
  ) {}
}
