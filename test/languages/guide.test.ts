import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createCli } from '../support/cli/program.js'
import { freePort } from '../support/free-port.js'
import { hasFlask, installed, newFolder } from '../support/languages/languages.js'

const guide = readFileSync('docs/guides/languages.md', 'utf8')
const sectionOf = (title: string) => guide.split(`## ${title}\n`)[1]?.split(/^## /m)[0] ?? ''

it.runIf(installed.includes('python'))(
  'The guide leads from an empty folder to a verified webhook and a second order, followed in Python',
  async () => {
    const port = String(await freePort())
    const commandsOf = (section: string) =>
      [...section.matchAll(/^\$ (.*)$/gm)].map(([, line = '']) =>
        line
          .replaceAll('127.0.0.1:3000', `127.0.0.1:${port}`)
          .replace('receiver go', 'receiver python')
          .replace('go run', 'python3')
          .replaceAll('.go', '.py'),
      )
    const section = sectionOf('From nothing to a verified webhook')
    const commands = commandsOf(section)
    const [start, add = '', print = '', run = '', template = '', create = '', examine = ''] = commands
    expect(commands).toHaveLength(7)
    expect(start).toBe('dlv sandbox start')

    const cli = createCli()
    const cwd = newFolder()
    const sandbox = cli.start(['sandbox', 'start', '--port', '0'])
    onTestFinished(() => void sandbox.kill())
    const ready = JSON.parse(await sandbox.line((line) => line.includes('"ready"')))
    for (const line of [add, print]) expect((await cli.script(line, { cwd })).exitCode).toBe(0)
    const words = ['bash', '-c', `export PORT=${port}; ${run.replace('python3', 'exec python3')}`]
    const receiver = cli.startProcess([], { cwd, through: words })
    onTestFinished(() => void receiver.kill())
    await receiver.line((line) => line === `listening on http://127.0.0.1:${port}/webhooks`)
    for (const line of [template, create]) expect((await cli.script(line, { cwd })).exitCode).toBe(0)
    const [, shown = ''] = /`(delivery\.accepted [^`]*)`/.exec(section) ?? []
    await receiver.line((line) => line === shown)
    expect(await cli.script(examine, { cwd })).toMatchObject({ exitCode: 0 })

    const client = commandsOf(sectionOf('From an order to a delivery'))
      .join('\n')
      .replace('http://127.0.0.1:4010/delivery/v1', ready.baseUrl)
    for (const time of ['first', 'second']) {
      const { stdout } = await cli.script(client, { cwd })
      expect(stdout, time).toContain('1 orders, 0 refused, 1 deliveries')
    }
  },
)

const shop = `import os

from flask import Flask, request

app = Flask("shop")
orders = {}
assert os.environ["DLV_WEBHOOK_SECRET"].startswith("whsec_")


@app.post("/webhooks")
def receive():
    event = request.get_json()
    delivery = event["delivery"]
    orders[delivery["clientOrderReference"]] = delivery["status"]
    print(event["eventType"], delivery["clientOrderReference"])
    return {}
`

it.runIf(hasFlask)('a Flask app is tested in the process of its tests, or by the printed test', async () => {
  const cli = createCli()
  const cwd = newFolder()
  const [conftest = '', test = ''] = [
    ...sectionOf('Tests in a Flask or Django app').matchAll(/```python\n([\s\S]*?)```/g),
  ].map(([, code]) => code)
  for (const [name, text] of Object.entries({ 'shop.py': shop, 'conftest.py': conftest, 'test_shop.py': test }))
    writeFileSync(join(cwd, name), text)
  const env = { DLV: `${process.execPath} ${join(process.cwd(), 'bin/run.js')}`, http_proxy: 'http://127.0.0.1:9' }
  expect(await cli.shell('python3 -m pytest', { cwd, env })).toMatchObject({ exitCode: 0 })

  const section = sectionOf('A test of your own app')
  const print = /^\$ (dlv webhooks receiver python --test .*)$/m.exec(section)?.[1] ?? ''
  const run = /^\$ (APP='flask.*)$/m.exec(section)?.[1] ?? ''
  expect((await cli.script(print, { cwd })).exitCode).toBe(0)
  const line = run.replaceAll('5000', String(await freePort())).replace('flask', 'python3 -m flask')
  expect(await cli.shell(line, { cwd, env })).toMatchObject({ exitCode: 0 })
})
