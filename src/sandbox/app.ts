import { Control, controlPath } from './control/control.js'
import { refuseForeignName } from './control/local-callers.js'
import { Snapshots } from './control/snapshot-files.js'
import { Refusal } from './core/refusal.js'
import { accountAuthorized } from './engine/accounts.js'
import type { Engine } from './engine/engine.js'
import type { Answer, HttpExchange } from './http/exchange.js'
import { type LoggedRequest, RequestLog } from './http/request-log.js'
import { isFollowUp, Pages } from './pages/pages.js'
import { refusalFor } from './service/response-context.js'
import { Service } from './service/service.js'
import type { Worker } from './worker/worker.js'

/** Takes every request to whom it is for: the service, the steering calls, or the pages. */
export class App {
  private readonly log: RequestLog
  private readonly service: Service
  private readonly control: Control
  private readonly pages: Pages
  private readonly snapshots: Snapshots

  /** `onRequest` is called with every request to the service after its response. */
  constructor(
    private readonly engine: Engine,
    private readonly worker: Worker,
    onRequest?: (request: LoggedRequest) => void,
  ) {
    this.log = new RequestLog(
      onRequest,
      (exchange) => accountAuthorized(engine.store, exchange)?.accountId,
      () => engine.clock.nowMs(),
    )
    this.service = new Service(engine)
    this.snapshots = new Snapshots(engine.store)
    this.control = new Control({ engine, worker, log: this.log, snapshots: this.snapshots })
    this.pages = new Pages(engine)
  }

  /** Never throws. */
  async answer(exchange: HttpExchange): Promise<Answer> {
    if (isUnder(controlPath, exchange.path)) return this.control.answer(exchange)
    if (isFollowUp(exchange.path)) return this.answerSafely(exchange)
    const note = this.log.begin(exchange)
    const answer = await this.answerSafely(exchange)
    note(answer)
    return answer
  }

  private async answerSafely(exchange: HttpExchange): Promise<Answer> {
    try {
      await this.worker.catchUp()
      refuseForeignName(exchange, this.engine.allowedHosts, this.engine.publicUrl)
      return this.pages.answer(exchange) ?? (await this.service.answer(exchange))
    } catch (error) {
      return this.service.refuse(exchange.address, refusalFor(this.engine, error))
    }
  }

  /** The response to bytes that are not an HTTP request. */
  answerMalformed(message: string): Answer {
    const refusal = new Refusal('VALIDATION_ERROR', `This is not an HTTP request: ${message}.`, { status: 400 })
    return this.service.refuse('malformed', refusal)
  }

  close(): void {
    this.snapshots.close()
  }
}

function isUnder(root: string, path: string): boolean {
  return path === root || path.startsWith(`${root}/`)
}
