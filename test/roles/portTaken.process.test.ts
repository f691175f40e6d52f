import assert from "node:assert/strict"
import { existsSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { exitCodes } from "#src/platform/process/exitCodes.ts"
import { temporaryDir } from "#test/platform/embedded/support/sandbox.ts"
import { start } from "#test/support/processes/Process.ts"

const endsWithin = 30_000

/** A port that another program listens on. */
const takenPort = Effect.acquireRelease(
  Effect.callback<ReturnType<typeof createServer>>((resume) => {
    const server = createServer().listen({ host: "127.0.0.1", port: 0 }, () => resume(Effect.succeed(server)))
  }),
  (server) => Effect.sync(() => server.close()),
).pipe(
  Effect.map((server) => {
    const address = server.address()
    return typeof address === "object" && address !== null ? String(address.port) : ""
  }),
)

const ports = [
  { variable: "PORT", role: "all" },
  { variable: "WS_PORT", role: "all" },
  { variable: "OPS_PORT", role: "gateway" },
  { variable: "CLUSTER_PORT", role: "worker" },
]

describe("A port that another program has", () => {
  for (const { variable, role } of ports) {
    it.live(`${variable} of ${role} is reported before the stores are started`, () =>
      Effect.gen(function* () {
        const dir = yield* temporaryDir
        const port = yield* takenPort
        const env = {
          PRESAGE_DIR: dir,
          HOST: "127.0.0.1",
          PORT: "0",
          WS_PORT: "0",
          OPS_PORT: "0",
          ROLE: role,
          LOG_FORMAT: "pretty",
          [variable]: port,
        }
        const program = yield* start({ name: "second", file: "src/main.ts", args: ["start"], env })
        assert.equal(yield* program.exit(endsWithin), exitCodes.portTaken, program.log())
        assert.match(program.log(), new RegExp(`port ${port} is taken by another program: .* with ${variable} `))
        assert.doesNotMatch(program.log(), /started postgres/)
        for (const made of ["postgres", "redis", "simulator", "secrets.json"]) {
          assert.ok(!existsSync(join(dir, made)), `${made} was made`)
        }
      }),
    )
  }
})
