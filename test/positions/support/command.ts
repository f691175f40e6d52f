import { spawn } from "node:child_process"
import { Effect, Redacted } from "effect"
import { Stores } from "#src/roles/Foundation.ts"
import { quickNode } from "#test/support/processes/quickNode.ts"

/** Runs `presage` on the stores of the test as an operator would; what it said and how it ended. */
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
        const said = { out: "", err: "" }
        const child = spawn(process.execPath, ["src/main.ts", ...args], { env: { ...process.env, ...stores, ...env } })
        child.stdout.on("data", (chunk) => {
          said.out += chunk
        })
        child.stderr.on("data", (chunk) => {
          said.err += chunk
        })
        child.once("close", (code) => resume(Effect.succeed({ code, ...said })))
        return Effect.sync(() => child.kill("SIGKILL"))
      },
    )
  })
