import type { ChildProcess } from 'node:child_process'
import { type Ended, launchedProcess, outcomeOf } from './running-program.js'

/** A program on a terminal that is still running. */
export interface OnTerminal {
  type(keys: string): void
  /** Everything the screen was sent. */
  screen(): string
  /** Resolves once the screen shows a text; fails if the program ends before. */
  shows(text: string): Promise<void>
  ended: Promise<Ended>
}

/** Follows what a screen is sent, from now on; `words` name the program where it disappoints. */
export function onTerminalOf(child: ChildProcess, words: readonly string[]): OnTerminal {
  let screen = ''
  let isOver = false
  let wake: () => void = () => {}
  const ended = outcomeOf(launchedProcess(child))
  child.stdout?.on('data', (text: string) => {
    screen += text
    wake()
  })
  void ended.then(() => {
    isOver = true
    wake()
  })
  return {
    ended,
    type: (keys) => void child.stdin?.write(keys),
    screen: () => screen,
    async shows(text) {
      while (!screen.includes(text)) {
        if (isOver) throw new Error(`dlv ${words.join(' ')} ended without showing "${text}": ${screen}`)
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    },
  }
}

/** Runs a command on a pseudo-terminal of the given width, types some keys, and passes on what the screen is sent. */
export const terminal = `
import fcntl, os, pty, select, struct, sys, termios
columns, keys, command = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
screen, shown = pty.openpty()
fcntl.ioctl(shown, termios.TIOCSWINSZ, struct.pack('HHHH', 40, columns, 0, 0))
pid = os.fork()
if pid == 0:
    os.close(screen)
    os.login_tty(shown)
    os.execvp(command[0], command)
os.close(shown)
if keys:
    os.write(screen, keys.encode())
sources = [screen, 0]
while True:
    ready = select.select(sources, [], [])[0]
    if 0 in ready:
        typed = os.read(0, 65536)
        if typed:
            os.write(screen, typed)
        else:
            sources.remove(0)
    if screen not in ready:
        continue
    try:
        data = os.read(screen, 65536)
    except OSError:
        break
    if not data:
        break
    os.write(1, data)
status = os.waitpid(pid, 0)[1]
sys.exit(os.waitstatus_to_exitcode(status) & 255)
`
