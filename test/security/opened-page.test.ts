import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { createCli } from '../support/cli/program.js'
import { until } from '../support/until.js'

it('dlv ui --open gives the browser a private file, and no process the token', async () => {
  const cli = createCli()
  const bin = join(cli.home, 'bin')
  const opened = join(cli.home, 'opened')
  mkdirSync(bin)
  for (const opener of ['xdg-open', 'open']) {
    writeFileSync(
      join(bin, opener),
      `#!/bin/sh\nprintf %s "$*" > "${opened}.part" && mv "${opened}.part" "${opened}"\n`,
    )
    chmodSync(join(bin, opener), 0o755)
  }
  const env = { PATH: `${bin}:${cli.env.PATH}` }
  const ui = cli.start(['ui', '--port', '0', '--open', '-o', 'json'], { env })
  const { url } = JSON.parse(await ui.line((line) => line.includes('"ready"'))) as { url: string }
  const [, token = ''] = url.split('#token=')
  await until('the page to be opened', () => existsSync(opened))
  const file = readFileSync(opened, 'utf8')
  expect([token.length > 20, file.includes(token)]).toEqual([true, false])
  expect(readFileSync(file, 'utf8')).toContain(`content="0;url=${url}"`)
  expect([statSync(file).mode & 0o777, statSync(dirname(file)).mode & 0o777]).toEqual([0o600, 0o700])
  await ui.kill()
  expect(existsSync(file)).toBe(false)
})
