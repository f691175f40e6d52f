import assert from "node:assert/strict"
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { SettingRow } from "#src/platform/config/Configuration.ts"
import { initialisedDir } from "#test/platform/embedded/support/sandbox.ts"
import { start } from "#test/support/processes/Process.ts"
import { eventually } from "#test/support/processes/sandbox.ts"

describe("presage config", () => {
  it.live("shows the settings of the running instance, not those of the shell that asks", () =>
    Effect.gen(function* () {
      const shell = { PRESAGE_DIR: yield* initialisedDir }
      const own = { HOST: "127.0.0.1", PORT: "0", WS_PORT: "0", EVENT_LOG_RETENTION: "9d", CLUSTER_LOCK_EXPIRY: "1m" }
      const presage = (env: Readonly<Record<string, string>>, ...args: ReadonlyArray<string>) =>
        start({ name: args.join(" "), file: "src/main.ts", args, env: { ...shell, ...env } })
      const run = Effect.fnUntraced(function* (...args: ReadonlyArray<string>) {
        const command = yield* presage({}, ...args)
        assert.equal(yield* command.exit(60_000), 0, command.log())
        return command
      })
      const shownFor = (rows: ReadonlyArray<SettingRow>, wanted: string) => {
        const { value, source } = rows.find(({ name }) => name === wanted) ?? {}
        return [value, source]
      }
      /** The settings, and what is said about them on standard error. */
      const shown = Effect.map(run("config", "--json"), ({ lines, log }) => ({
        rows: JSON.parse(lines.join("\n")) as ReadonlyArray<SettingRow>,
        notes: log(),
      }))

      const before = yield* shown
      assert.match(before.notes, /^no instance runs: these are the settings that a start would use/m)
      assert.deepEqual(shownFor(before.rows, "event-log.retention"), ["7d", "default"])

      const service = yield* presage(own, "start", "--role", "gateway")
      yield* service.waitForLine(/^presage ready/, 120_000)
      const { rows, notes } = yield* shown
      assert.match(notes, new RegExp(`^settings of the running instance, process ${service.pid} on `, "m"))
      assert.deepEqual(shownFor(rows, "event-log.retention"), ["9d", "environment"])
      assert.deepEqual(shownFor(rows, "role"), ["gateway", "command line"])
      yield* run("tune", "event-log.retention", "8d")
      yield* eventually(
        "the live override is shown",
        30_000,
        Effect.map(shown, (now) => shownFor(now.rows, "event-log.retention").join() === "8d,live override"),
      )
      const asked = yield* run("config", "--set", "port=9000")
      assert.match(asked.lines.join("\n"), /these are the settings that a start with --set would use/)

      service.stop()
      assert.equal(yield* service.exit(30_000), 0, service.log())
      const after = yield* run("config")
      assert.match(after.lines.slice(after.lines.indexOf("") + 1).join("\n"), /^no instance runs/)
    }),
  )
})
