import type { Engine } from '../engine/engine.js'

/** More answers than this are not kept: they would be the deliveries of a load test, each read once. */
const MAX_ANSWERS = 1_000

/**
 * The JSON of answers that follow from what is stored alone, not from the time. They are kept until anything is written,
 * by this process or another: a caller that reads one delivery again and again gets the same text without another query.
 */
export class KeptAnswers {
  private readonly answers = new Map<string, string>()
  private version = -1
  private publicUrl = ''

  constructor(private readonly engine: Engine) {}

  get(key: string): string | undefined {
    this.forgetOutdated()
    return this.answers.get(key)
  }

  keep(key: string, json: string): void {
    this.forgetOutdated()
    if (this.answers.size < MAX_ANSWERS) this.answers.set(key, json)
  }

  private forgetOutdated(): void {
    const { version } = this.engine.store
    const publicUrl = this.engine.publicUrl()
    if (version === this.version && publicUrl === this.publicUrl) return
    this.answers.clear()
    this.version = version
    this.publicUrl = publicUrl
  }
}
