import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createCli } from '../support/cli/program.js'
import { freePort } from '../support/free-port.js'
import { until } from '../support/until.js'

const page = readFileSync('docs/tutorial.md', 'utf8')
/** The commands below a heading, without those that stay in a terminal of their own. */
function commandsOf(step: string): string[] {
  const [, section = ''] = page.split(new RegExp(`^## \\d+\\. ${step}$`, 'm'))
  const [own = ''] = section.split(/^## /m)
  return [...own.matchAll(/^\$ (.*)$/gm)].map(([, line = '']) => line)
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}

it('The tutorial works as it is written, on other ports', async () => {
  const cli = createCli()
  // In the project, where the package finds itself under its own name.
  const folder = mkdtempSync(join('test', '.guides-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const [, app = ''] = /^```js\n([\s\S]*?)^```/m.exec(page) ?? []
  const port = String(await freePort())
  const here = (text: string) =>
    text
      .replaceAll('127.0.0.1:3000', `127.0.0.1:${port}`)
      .replace('listen(3000', `listen(${port}`)
      .replaceAll('../examples', '../../examples')
  const enter = (line: string) => cli.script(here(line), { cwd: folder })
  const follow = async (step: string) => {
    const ended = []
    for (const line of commandsOf(step)) ended.push(await enter(line))
    return ended
  }

  expect(commandsOf('Start the service')).toEqual(['dlv sandbox start'])
  const sandbox = cli.start(['sandbox', 'start', '--port', '0'])
  onTestFinished(() => void sandbox.kill())
  await sandbox.line((line) => line.includes('"ready"'))

  const sent = await follow('Send an order')
  expect(sent.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0])
  const again = await enter('dlv deliveries create --file order.json --json')
  expect(JSON.parse(again.stdout)).toMatchObject({ status: 'accepted' })
  expect(sent[2]?.stdout).toContain((JSON.parse(again.stdout) as { deliveryId: string }).deliveryId)

  writeFileSync(join(folder, 'app.mjs'), here(app))
  const [added, started] = commandsOf('Connect the two')
  expect((await enter(added ?? '')).exitCode).toBe(0)
  const running = cli.startProcess([], { cwd: folder, through: ['bash', '-c', started ?? ''] })
  onTestFinished(() => void running.kill())
  // What is sent before the app listens comes later, and after what follows it.
  await until('the app', () => isListening(Number(port)))

  expect((await follow('Deliver')).map(({ exitCode }) => exitCode)).toEqual([0])
  const [, printed = ''] = /^```text\n(ORDER[\s\S]*?)^```/m.exec(page) ?? []
  await running.line((line) => line.endsWith(' delivery.delivered'))
  expect(running.lines()).toEqual(printed.trimEnd().split('\n'))

  const distrust = await follow('Distrust')
  expect(distrust.map(({ exitCode }) => exitCode)).toEqual([0, 9, 0])
  await running.line((line) => line.startsWith('rejected: no_matching_signature'))

  const exported = await follow("Send a shop's export")
  expect(exported.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0, 0])
  expect(exported[1]?.stderr).toContain('Looks like an export of Amazon.')
  expect(exported[3]?.stderr.match(/2 created/g)).toHaveLength(7)
  const last = commandsOf("Send a shop's export").at(-1) ?? ''
  expect((await enter(last)).stderr.match(/in an earlier run/g)).toHaveLength(7)
})
