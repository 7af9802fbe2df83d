import type { z } from 'zod'
import { fieldErrorsOf } from '../../contract/index.js'
import { Refusal } from '../core/refusal.js'
import { type Answer, type HttpExchange, jsonAnswer, type RouteMethod, Router } from '../http/exchange.js'
import { readJsonBody, schemaRefusal } from '../http/json-body.js'
import { errorAnswer, refusalFor } from '../service/response-context.js'
import { accountRoutes } from './accounts.js'
import { changeRoutes, clockRoutes } from './clock.js'
import { conditionRoutes } from './conditions.js'
import { ControlAnswer, type ControlCall, type ControlContext, type ControlRoutes } from './control-route.js'
import { fixtureRoutes } from './fixtures.js'
import { insightRoutes, scheduleRoutes } from './insight.js'
import { refuseForeignCaller } from './local-callers.js'
import { receiverRoutes } from './receivers.js'
import { snapshotRoutes, stateRoutes } from './state.js'

/** The path prefix of the control API, outside the contract. */
export const controlPath = '/_sandbox'

/** Takes steering calls to their routes. */
export class Control {
  private readonly router = new Router<unknown>()
  private readonly context: ControlContext

  constructor(context: ControlContext) {
    this.context = context
    const routes: ControlRoutes = {
      ...stateRoutes(context),
      ...snapshotRoutes(context),
      ...clockRoutes(context),
      ...conditionRoutes(context),
      ...accountRoutes(context),
      ...receiverRoutes(context),
      ...fixtureRoutes(context),
      ...insightRoutes(context),
      ...scheduleRoutes(context),
      ...changeRoutes(context),
    }
    for (const [name, handle] of Object.entries(routes)) {
      const [method, path] = name.split(' ') as [RouteMethod, string]
      this.router.add(method, controlPath + path, (exchange, parameters) => handle(callOf(exchange, parameters)))
    }
  }

  async answer(exchange: HttpExchange): Promise<Answer> {
    const { engine } = this.context
    try {
      refuseForeignCaller(exchange, engine.allowedHosts)
      await this.context.worker.catchUp()
      engine.store.refresh()
      const found = this.router.find(exchange.method, exchange.path)
      if (found === undefined) throw new Refusal('NOT_FOUND', 'There is no such steering call.')
      if ('allow' in found)
        throw new Refusal('METHOD_NOT_ALLOWED', `This path has ${found.allow.join(', ')} only.`, {
          details: { allowed: found.allow },
        })
      const value = await found.handler(exchange, found.parameters)
      engine.wake()
      return value instanceof ControlAnswer ? jsonAnswer(value.status, value.value) : jsonAnswer(200, value)
    } catch (error) {
      return errorAnswer(refusalFor(engine, error), engine.identifiers.next('req', engine.realNowMs()))
    }
  }
}

function callOf(exchange: HttpExchange, parameters: Readonly<Record<string, string>>): ControlCall {
  return {
    parameters,
    query: new URLSearchParams(exchange.search),
    reachedAt: exchange.reachedAt,
    queryAs: (schema) => fitted(schema, Object.fromEntries(new URLSearchParams(exchange.search))),
    async body(schema) {
      const json = await readJsonBody(exchange)
      return fitted(schema, json === undefined ? {} : json.value)
    },
  }
}

function fitted<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value, { reportInput: true })
  if (!parsed.success) throw schemaRefusal(fieldErrorsOf(parsed.error.issues))
  return parsed.data
}
