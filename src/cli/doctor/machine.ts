import { mkdtempSync, rmdirSync, statSync } from "node:fs"
import { createServer } from "node:net"
import { join, resolve } from "node:path"
import { Effect, Schema } from "effect"
import { Configuration } from "#src/platform/config/Configuration.ts"
import type { Setting } from "#src/platform/config/Setting.ts"
import * as settings from "#src/platform/config/settings.ts"
import { explainDirectory } from "#src/platform/embedded/makeDirectory.ts"
import { existingAncestor, freeBytes } from "#src/platform/embedded/space.ts"
import { localUrl } from "#src/platform/http/localHost.ts"
import { type Finding, fail, ok } from "./Finding.ts"

export const nodeFinding = Effect.sync(() =>
  Number.parseInt(process.versions.node, 10) >= 22
    ? ok("node", process.versions.node)
    : fail("node", process.versions.node, "run 'npm start' or 'npm run presage', which include Node 22"),
)

const neededMegabytes = 2000

const disk = (path: string): Finding => {
  try {
    const free = Math.round(freeBytes(path) / 1_000_000)
    return free >= neededMegabytes
      ? ok("disk", `${free} MB free at ${path}`)
      : fail("disk", `${free} MB free at ${path}`, "free at least 2 GB, or put PRESAGE_DIR on another disk")
  } catch (cause) {
    return fail("disk", explainDirectory(path)(cause).message)
  }
}

/** Tries to write: permission bits do not cover read-only disks or /proc. */
const writable = (path: string): Finding => {
  const existing = existingAncestor(path)
  try {
    if (!statSync(existing).isDirectory())
      throw Object.assign(new Error(), { code: existing === path ? "EEXIST" : "ENOTDIR" })
    rmdirSync(mkdtempSync(join(existing, ".presage-doctor-")))
    return ok("directory", existing === path ? `${path} is writable` : `${path} can be created`)
  } catch (cause) {
    return fail("directory", explainDirectory(path)(cause).message)
  }
}

/** The directory of the embedded stores, which may not exist yet. */
export const directoryFindings = (dir: string, isNeeded: boolean): ReadonlyArray<Finding> =>
  isNeeded
    ? [disk(resolve(dir)), writable(resolve(dir))]
    : [ok("directory", "not needed: DATABASE_URL and REDIS_URL are set")]

/** The error code when listening fails; undefined when it works. */
const listenFailure = (port: number, host: string) =>
  Effect.callback<string | undefined>((resume) => {
    const server = createServer()
    server.once("error", (error) => resume(Effect.succeed("code" in error ? String(error.code) : error.message)))
    server.listen({ port, host, exclusive: true }, () => server.close(() => resume(Effect.succeed(undefined))))
  })

const isHealthy = Schema.is(Schema.Struct({ status: Schema.Literal("ok") }))

/** A port in use is fine if Presage uses it. Both of our servers answer /healthz. */
const isPresage = (port: number, host: string) =>
  Effect.tryPromise(async () => {
    const answer = await fetch(`${localUrl(host, port)}/healthz`, { signal: AbortSignal.timeout(4000) })
    return answer.ok && isHealthy(await answer.json())
  }).pipe(Effect.orElseSucceed(() => false))

export const portFinding = Effect.fnUntraced(function* (
  setting: Setting<number>,
): Effect.fn.Return<Finding, never, Configuration> {
  const config = yield* Configuration
  const port = config.get(setting)
  const host = config.get(settings.host)
  if (port === 0) return ok(setting.name, "any free port")
  switch (yield* listenFailure(port, host)) {
    case undefined:
      return ok(setting.name, `${port} is free`)
    case "EADDRINUSE":
      return (yield* isPresage(port, host))
        ? ok(setting.name, `${port} is in use by a running Presage`)
        : fail(
            setting.name,
            `${port} is taken by another program`,
            `stop it, or choose another port with ${setting.env}`,
          )
    case "EACCES":
      return fail(setting.name, `this user may not listen on ${port}`, `choose a port above 1023 with ${setting.env}`)
    default:
      return fail(setting.name, `cannot listen on ${host}`, `set ${settings.host.env} to an address of this machine`)
  }
})
