import { type ChildProcess, spawn } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { quickNode } from "#test/support/processes/quickNode.ts"
import { root } from "./markdown.ts"

/** What a reader's shell has, with curl and npm in forms that a test can rely on. */
const commands = {
  // A status other than 2xx is a failure, and answers are lines.
  curl: `export PATH="$SYSTEM_PATH"; exec curl -sS --fail-with-body -w '\\n' "$@"`,
  // Without npm's own second; the scripts in package.json are compared elsewhere.
  npm: `[ "$1 $2 $3 $4" = "run -s presage --" ] || { echo "npm $* is not for a test" >&2; exit 1; }
shift 4; exec node "$ROOT/src/main.ts" "$@"`,
  npx: `exec "$@"`,
}

const longestBlock = 600_000
/** As of timeout(1). */
const timeoutCode = 124

export interface Ran {
  readonly code: number
  readonly output: string
  readonly errors: string
}

/** One bash session: variables, files and background jobs of earlier blocks stay. */
export class Shell {
  readonly #child: ChildProcess
  readonly #dir: string
  readonly #closed: Promise<number>
  #output = ""
  #errors = ""
  #blocks = 0
  #wake = () => {}

  constructor(dir: string, env: Readonly<Record<string, string>>) {
    this.#dir = dir
    const bin = join(dir, "bin")
    mkdirSync(bin, { recursive: true })
    for (const [name, body] of Object.entries(commands))
      writeFileSync(join(bin, name), `#!/bin/bash\n${body}\n`, { mode: 0o755 })
    const systemPath = process.env.PATH ?? ""
    this.#child = spawn("bash", ["-e", "-o", "pipefail"], {
      cwd: dir,
      env: {
        ...env,
        ROOT: root,
        SYSTEM_PATH: systemPath,
        HOME: process.env.HOME ?? "/",
        ...quickNode,
        PATH: [bin, dirname(process.execPath), systemPath].join(":"),
      },
      // A group of its own, so that its background jobs end with it.
      detached: true,
    })
    this.#child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
      this.#output += chunk
      this.#wake()
    })
    this.#child.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
      this.#errors += chunk
    })
    this.#child.stdin?.on("error", () => undefined)
    this.#closed = new Promise((resolve) => this.#child.once("exit", (code) => resolve(code ?? 1)))
  }

  save(name: string, text: string): void {
    writeFileSync(join(this.#dir, name), text)
  }

  /** Runs a block. One that must fail runs in a subshell, so that the session goes on. */
  async run(text: string, fails: boolean): Promise<Ran> {
    const number = ++this.#blocks
    const file = `block${number}.sh`
    const mark = `--- end of block ${number}: `
    this.save(file, text)
    const [outputFrom, errorsFrom] = [this.#output.length, this.#errors.length]
    const ended = new Promise<number>((resolve) => {
      this.#wake = () => {
        const found = new RegExp(`${mark}(\\d+)\\n`).exec(this.#output.slice(outputFrom))
        if (found !== null) resolve(Number(found[1]))
      }
    })
    const source = fails ? `code=0; ( . ./${file} ) || code=$?` : `. ./${file}; code=0`
    this.#child.stdin?.write(`${source}\nprintf '%s%s\\n' '${mark}' "$code"\n`)
    const late = new AbortController()
    const timedOut = setTimeout(longestBlock, timeoutCode, { signal: late.signal }).catch(() => timeoutCode)
    const code = await Promise.race([ended, this.#closed, timedOut])
    late.abort()
    const output = this.#output.slice(outputFrom).split(mark, 1)[0] ?? ""
    return { code, output, errors: this.#errors.slice(errorsFrom) }
  }

  async end(): Promise<void> {
    try {
      process.kill(-(this.#child.pid ?? 0), "SIGKILL")
    } catch {
      // It has ended by itself.
    }
    await this.#closed
  }
}
