import { spawn } from "node:child_process"
import { Effect, Redacted } from "effect"
import { Stores } from "#src/roles/Stores.ts"
import { quickNode } from "#test/support/processes/quickNode.ts"

/** Runs `presage` on the test's stores. Returns its output and exit code. */
export const command = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) =>
  Effect.gen(function* () {
    const { databaseUrl, redisUrl } = yield* Stores
    const stores = {
      DATABASE_URL: Redacted.value(databaseUrl),
      REDIS_URL: Redacted.value(redisUrl),
      ...quickNode,
    }
    return yield* Effect.callback<{ readonly code: number | null; readonly out: string; readonly err: string }>(
      (resume) => {
        const output = { out: "", err: "" }
        const child = spawn(process.execPath, ["src/main.ts", ...args], { env: { ...process.env, ...stores, ...env } })
        child.stdout.on("data", (chunk) => {
          output.out += chunk
        })
        child.stderr.on("data", (chunk) => {
          output.err += chunk
        })
        child.once("close", (code) => resume(Effect.succeed({ code, ...output })))
        return Effect.sync(() => child.kill("SIGKILL"))
      },
    )
  })
