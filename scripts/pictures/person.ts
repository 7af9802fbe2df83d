import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'

/** Monday, noon in New York. */
const startMs = Date.parse('2026-03-02T17:00:00Z')
const program = join(process.cwd(), 'bin', 'run.js')

/** Somebody with an empty home, for whom it is always the same moment when they begin. */
export class Person {
  readonly home = mkdtempSync(join(tmpdir(), 'dlv-pictures-'))
  private readonly children: ChildProcess[] = []
  private readonly env: NodeJS.ProcessEnv = {
    PATH: process.env.PATH,
    HOME: this.home,
    LANG: 'C.UTF-8',
    TZ: 'America/New_York',
    TERM: 'xterm-256color',
    DLV_NO_NOTICE: '1',
    NODE_OPTIONS: `--import=${pathToFileURL(join(process.cwd(), 'scripts/pictures/shifted-clock.mjs')).href}`,
    DLV_PICTURES_SHIFT_MS: String(startMs - Date.now()),
  }

  /** Runs a command to its end, and gives what it printed. */
  async run(...words: string[]): Promise<string> {
    const options = { env: this.env, maxBuffer: 2 ** 26 }
    return (await promisify(execFile)(process.execPath, [program, ...words], options)).stdout
  }

  async json<Value>(...words: string[]): Promise<Value> {
    return JSON.parse(await this.run(...words, '--json')) as Value
  }

  /** Starts a command that runs until the person leaves; `columns` puts it on a terminal. */
  start(words: readonly string[], columns?: number): { output(): string; shows(text: string | RegExp): Promise<void> } {
    const quoted = [process.execPath, program, ...words].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ')
    const child =
      columns === undefined
        ? spawn(process.execPath, [program, ...words], { env: this.env, stdio: ['ignore', 'pipe', 'inherit'] })
        : spawn('script', ['-qec', `stty cols ${columns} rows 60; exec ${quoted}`, '/dev/null'], {
            env: this.env,
            stdio: ['ignore', 'pipe', 'ignore'],
          })
    this.children.push(child)
    let output = ''
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
    return {
      output: () => output,
      async shows(text) {
        for (let waited = 0; waited < 20_000; waited += 50) {
          if (typeof text === 'string' ? output.includes(text) : text.test(output)) return
          await pause(50)
        }
        throw new Error(`dlv ${words.join(' ')} did not show ${text}: ${output}`)
      },
    }
  }

  async leave(): Promise<void> {
    for (const child of this.children) {
      if (child.exitCode !== null) continue
      const closed = new Promise((resolve) => child.once('close', resolve))
      child.kill('SIGTERM')
      await closed
    }
    rmSync(this.home, { recursive: true, force: true })
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
