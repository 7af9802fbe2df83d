import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const notices = readFileSync(join(process.cwd(), 'dist', 'program', 'THIRD-PARTY-NOTICES.txt'), 'utf8')

describe('THIRD-PARTY-NOTICES.txt', () => {
  it.each(['@oclif/core', 'jq-web', 'undici', 'zod'])('has the licence of %s', (name) => {
    const { version } = JSON.parse(readFileSync(join('node_modules', name, 'package.json'), 'utf8'))
    expect(notices).toContain(`\n${name} ${version} (`)
  })

  it.each([
    ['jq', 'Copyright (C) 2012 Stephen Dolan'],
    ["jq's conversion of numbers", 'The author of this software is David M. Gay.'],
    ['decNumber', 'Copyright (c) 1995-2005 International Business Machines Corporation'],
    ['oniguruma', 'Copyright (c) 2002-2021  K.Kosako'],
    ['emscripten', 'Copyright (c) 2010-2014 Emscripten authors'],
    ['musl', 'Copyright © 2005-2012 Rich Felker'],
  ])('has the licence of %s, which is compiled into jq.wasm', (_, line) => {
    expect(notices.toLowerCase()).toContain(line.toLowerCase())
  })
})
