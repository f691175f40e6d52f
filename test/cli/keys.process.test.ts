import assert from "node:assert/strict"
import { statSync } from "node:fs"
import { join } from "node:path"
import { layer } from "@effect/vitest"
import { Effect } from "effect"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { isWellFormed } from "#src/secrets/keyFormat.ts"
import { temporaryDir } from "#test/platform/embedded/support/sandbox.ts"
import { start } from "#test/support/processes/Process.ts"
import { sandbox, sandboxEnvironment } from "#test/support/processes/sandbox.ts"

/** A process takes seconds to start on a busy machine, so the test starts few, and all at once. */
layer(sandbox([]), { excludeTestServices: true })("presage keys and presage accounts", (it) => {
  it.effect("create keys in processes that start together, and change them", () =>
    Effect.gen(function* () {
      const dir = join(yield* temporaryDir, "new")
      const { PRESAGE_SECRET: _, ...environment } = yield* sandboxEnvironment
      const env = { ...environment, PRESAGE_DIR: dir }
      const { sql } = yield* Postgres
      // A database that has never had a secret.
      yield* sql`delete from secret_fingerprint`
      const run = Effect.fnUntraced(function* (...args: ReadonlyArray<string>) {
        const command = yield* start({ name: args.join(" "), file: "src/main.ts", args, env })
        const code = yield* command.exit(60_000)
        return { code, lines: command.lines, log: command.log() }
      })

      const made = yield* Effect.all(
        [run("keys", "create", "--plan", "starter", "--name", "ada", "--json"), run("keys", "create", "--json")],
        { concurrency: 2 },
      )
      const [ada, other] = made.map(({ code, lines, log }) => {
        assert.equal(code, 0, log)
        return JSON.parse(lines.join("\n"))
      })
      assert.deepEqual(Object.keys(ada), ["id", "api_key", "name", "rate_limit_per_minute", "message"])
      assert.deepEqual([ada.name, ada.rate_limit_per_minute], ["ada", 1000])
      assert.deepEqual([other.name, other.rate_limit_per_minute], ["unnamed", 2000])
      assert.ok(isWellFormed(ada.api_key) && isWellFormed(other.api_key))
      assert.equal(statSync(join(dir, "secrets.json")).mode & 0o777, 0o600)

      const [stored] = yield* sql<{ id: string; account_id: string; shown: string }>`
        select id, account_id, shown from api_key where name = 'ada'`
      assert.equal(stored?.shown, `${ada.api_key.slice(0, 12)}…${ada.api_key.slice(-4)}`)
      const { rotated, limited, refused } = yield* Effect.all(
        {
          rotated: run("keys", "rotate", ada.id),
          limited: run("accounts", "set-limits", stored?.account_id ?? "", "--standard", "5000"),
          refused: run("keys", "revoke", ada.api_key),
        },
        { concurrency: 3 },
      )
      assert.ok(isWellFormed(rotated.lines[0] ?? ""), rotated.log)
      assert.match(limited.lines.join(), /plan starter, 5000 requests a minute \(1000 heavy\), active/)
      assert.equal(refused.code, 2)
      assert.match(refused.log, /^presage: "psg_live_<redacted>": the id of a key is a UUID/)
    }),
  )
})
