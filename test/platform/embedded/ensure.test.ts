import assert from "node:assert/strict"
import { spawnSync } from "node:child_process"
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, it } from "vitest"

const script = join(import.meta.dirname, "..", "..", "..", "scripts", "ensure.mjs")
let bare = ""

/** Simulates a machine whose only programs are in one folder. */
beforeEach(() => {
  bare = mkdtempSync(join(tmpdir(), "presage-bare-"))
  symlinkSync("/bin/sh", join(bare, "sh"))
  symlinkSync(process.execPath, join(bare, "node"))
})
afterEach(() => rmSync(bare, { recursive: true }))

const program = (name: string, text: string) => writeFileSync(join(bare, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 })

const ensure = (env: NodeJS.ProcessEnv, ...args: ReadonlyArray<string>) => {
  const { REDIS_URL: _, ...inherited } = process.env
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], {
    env: { ...inherited, ...env },
    encoding: "utf8",
  })
  return { status, output: `${stdout}${stderr}` }
}
const onBareMachine = () => ({ PATH: bare, PRESAGE_PROGRAM_FOLDERS: "" })

describe("ensure.mjs", () => {
  it("prints nothing when everything is installed", () => {
    assert.deepEqual(ensure({}, "redis"), { status: 0, output: "" })
  })

  it("names REDIS_URL when there is no Redis and no way to install it", () => {
    const { status, output } = ensure(onBareMachine(), "redis")
    assert.equal(status, 3)
    assert.match(output, /^presage: Redis is missing and there is no package manager[^\n]*REDIS_URL[^\n]*\n$/)
  })

  it("needs no Redis when REDIS_URL is set, or when none is requested", () => {
    assert.deepEqual(ensure({ ...onBareMachine(), REDIS_URL: "redis://elsewhere" }, "redis"), { status: 0, output: "" })
    assert.deepEqual(ensure(onBareMachine()), { status: 0, output: "" })
  })

  it("refuses a Redis older than 7", () => {
    program("redis-server", "echo 'Redis server v=6.0.16 sha=00000000:0 malloc=jemalloc'")
    const { status, output } = ensure(onBareMachine(), "redis")
    assert.equal(status, 3)
    assert.match(output, /6\.0\.16.*Redis 7.*REDIS_URL/)
  })

  it("accepts Valkey", () => {
    program("valkey-server", "echo 'Valkey server v=8.1.1 sha=00000000:0'")
    assert.deepEqual(ensure(onBareMachine(), "redis"), { status: 0, output: "" })
  })

  it("shows the output of the package manager only when it failed", () => {
    program("sudo", 'shift; exec "$@"')
    program("true", "exit 0")
    program("env", "echo 'E: no network'; exit 100")
    program("apt-get", "echo 'E: no network'; exit 100")
    const { status, output } = ensure(onBareMachine(), "redis")
    assert.equal(status, 3)
    assert.match(output, /installing Redis with apt-get.*E: no network.*REDIS_URL/s)
  })
})

describe("ensure.mjs in a clone", () => {
  const lock = {
    packages: {
      "": { version: "1.0.0" },
      "node_modules/service": { version: "2.0.0" },
      "node_modules/linter": { version: "3.0.0", dev: true },
      "node_modules/other-machine": { version: "4.0.0", optional: true },
      "node_modules/workspace": { resolved: "test/workspace", link: true },
      "test/workspace": { version: "0.0.0" },
    },
  }
  let clone = ""
  beforeEach(() => {
    clone = mkdtempSync(join(tmpdir(), "presage-clone-"))
    mkdirSync(join(clone, "scripts"))
    copyFileSync(script, join(clone, "scripts", "ensure.mjs"))
    writeFileSync(join(clone, "package-lock.json"), JSON.stringify(lock))
  })
  afterEach(() => rmSync(clone, { recursive: true }))

  /** What npm leaves: its list of packages, and the project's Node. */
  const installed = (...names: ReadonlyArray<keyof typeof lock.packages>) => {
    mkdirSync(join(clone, "node_modules", ".bin"), { recursive: true })
    rmSync(join(clone, "node_modules", ".bin", "node"), { force: true })
    symlinkSync(process.execPath, join(clone, "node_modules", ".bin", "node"))
    const packages = Object.fromEntries(names.map((name) => [name, lock.packages[name]]))
    writeFileSync(join(clone, "node_modules", ".package-lock.json"), JSON.stringify({ packages }))
  }
  const forRun = ["node_modules/service"] as const
  const everything = ["node_modules/service", "node_modules/linter"] as const

  /** Runs the script with an npm that installs nothing; returns its arguments, without those about its output. */
  const ensureHere = (...args: ReadonlyArray<string>) => {
    const calls = join(clone, "calls")
    rmSync(calls, { force: true })
    program("npm", `echo "$@" >> ${calls}`)
    const { status, stderr } = spawnSync(process.execPath, [join(clone, "scripts", "ensure.mjs"), ...args], {
      env: { PATH: bare, PRESAGE_PROGRAM_FOLDERS: "" },
      encoding: "utf8",
    })
    assert.equal(status, 0, stderr)
    if (!existsSync(calls)) return "nothing"
    return readFileSync(calls, "utf8").replace("--no-audit --no-fund --loglevel=error", "").trim()
  }

  it("installs only what the service needs for a start, and adds the rest for tests without deleting that", () => {
    installed()
    assert.equal(ensureHere("run"), "ci  --omit=dev")
    installed(...forRun)
    assert.equal(ensureHere("run"), "nothing")
    assert.equal(ensureHere(), "install --no-save")
    installed(...everything)
    assert.equal(ensureHere(), "nothing")
    assert.equal(ensureHere("run"), "nothing")
  })

  it("accepts what a manual npm ci installed, for a start and for tests", () => {
    installed(...everything)
    assert.equal(ensureHere("run"), "nothing")
    assert.equal(ensureHere(), "nothing")
  })

  it("accepts a manual npm ci --omit=dev for a start only", () => {
    installed(...forRun)
    assert.equal(ensureHere("run"), "nothing")
    assert.equal(ensureHere(), "install --no-save")
  })

  it("installs again when the lock file has changed", () => {
    installed(...forRun)
    assert.equal(ensureHere("run"), "nothing")
    writeFileSync(
      join(clone, "package-lock.json"),
      JSON.stringify({ packages: { ...lock.packages, "node_modules/service": { version: "2.0.1" } } }),
    )
    assert.equal(ensureHere("run"), "ci  --omit=dev")
  })
})
