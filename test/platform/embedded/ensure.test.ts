import assert from "node:assert/strict"
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
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
