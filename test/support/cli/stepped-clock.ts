import { existsSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTempDir } from '../temp-dir.js'

/** libfaketime, as Debian's `faketime` installs it; undefined if this machine does not have it. */
export const faketimeLibrary = ['x86_64', 'aarch64']
  .map((machine) => `/usr/lib/${machine}-linux-gnu/faketime/libfaketime.so.1`)
  .find((file) => existsSync(file))

/** The wall clock of processes that are started with `env`. Their monotonic clock is the machine's, as after a real step. */
interface SteppedClock {
  env: NodeJS.ProcessEnv
  /** Sets the clock to an offset from the machine's, such as `-10d` or `+10m`: of processes that run, within a second. */
  step(offset: string): void
}

export function steppedClock(): SteppedClock {
  const file = join(createTempDir(), 'offset')
  const step = (offset: string) => {
    writeFileSync(`${file}.new`, offset)
    renameSync(`${file}.new`, file)
  }
  step('+0')
  return {
    step,
    env: {
      LD_PRELOAD: faketimeLibrary,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_CACHE_DURATION: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
  }
}
