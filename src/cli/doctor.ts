import { statfsSync } from "node:fs"
import { createServer } from "node:net"
import { dirname, resolve } from "node:path"
import { Effect, Option, Schema } from "effect"
import { Command } from "effect/unstable/cli"
import { Configuration } from "#src/platform/Configuration.ts"
import { findPostgres } from "#src/platform/embedded/postgresBinaries.ts"
import { findRedis } from "#src/platform/embedded/Redis.ts"
import { peek } from "#src/platform/embedded/Stores.ts"
import { Postgres } from "#src/platform/Postgres.ts"
import { Redis } from "#src/platform/Redis.ts"
import type { Setting } from "#src/platform/Setting.ts"
import { postgresVersion, redisVersion } from "#src/platform/StoreVersions.ts"
import * as settings from "#src/platform/settings.ts"
import { configured, json, set } from "./configured.ts"
import { print, printJson, table } from "./print.ts"

/** One thing looked at; `advice` says what to do about it. */
interface Finding {
  readonly check: string
  readonly state: "ok" | "fail"
  readonly detail: string
  readonly advice?: string
}

const ok = (check: string, detail: string): Finding => ({ check, state: "ok", detail })
const fail = (check: string, detail: string, advice: string): Finding => ({ check, state: "fail", detail, advice })

export class Unhealthy extends Schema.TaggedError<Unhealthy>()("Unhealthy", { failed: Schema.Number }) {
  override get message() {
    return this.failed === 1 ? "one check failed" : `${this.failed} checks failed`
  }
}

const node = Effect.sync(() =>
  Number.parseInt(process.versions.node, 10) >= 22
    ? ok("node", process.versions.node)
    : fail("node", process.versions.node, "run it with 'npm start' or 'npm run presage', which bring Node 22 along"),
)

const disk = (dir: string) =>
  Effect.sync(() => {
    const at = statfsSync(dirname(resolve(dir)))
    const free = Math.round((at.bavail * at.bsize) / 1_000_000)
    return free >= 2000
      ? ok("disk", `${free} MB free at ${resolve(dir)}`)
      : fail("disk", `${free} MB free at ${resolve(dir)}`, "free at least 2 GB, or put PRESAGE_DIR on another disk")
  })

const canListen = (port: number) =>
  Effect.callback<boolean>((resume) => {
    const server = createServer()
    server.once("error", () => resume(Effect.succeed(false)))
    server.listen(port, () => server.close(() => resume(Effect.succeed(true))))
  })

/** A taken port is as it should be while Presage itself runs. */
const listens = (setting: Setting<number>, running: boolean) =>
  Effect.gen(function* () {
    const port = (yield* Configuration).get(setting)
    if (port === 0) return ok(setting.name, "any free one")
    if (yield* canListen(port)) return ok(setting.name, `${port} is free`)
    return running
      ? ok(setting.name, `${port} is in use, by the running instance`)
      : fail(setting.name, `${port} is taken by another program`, `stop it, or choose another with ${setting.env}`)
  })

const reachable = <E extends Error, R>(check: string, variable: string, version: Effect.Effect<string, E, R>) =>
  version.pipe(
    Effect.timeout("5 seconds"),
    Effect.match({
      onSuccess: (found) => ok(check, `${found}, reachable`),
      onFailure: (error) => fail(check, error.message, `check that it runs and that ${variable} is right`),
    }),
  )

const installed = <E extends Error>(check: string, find: Effect.Effect<unknown, E>) =>
  Effect.match(find, {
    onSuccess: () => ok(check, "embedded, not running; start brings it up"),
    onFailure: (error) => fail(check, "not installed", error.message),
  })

const examine = Effect.gen(function* () {
  const config = yield* Configuration
  const dir = config.get(settings.presageDir)
  const databaseUrl = config.get(settings.databaseUrl)
  const redisUrl = config.get(settings.redisUrl)
  const running = yield* peek({ dir, databaseUrl, redisUrl }).pipe(Effect.orElseSucceed(() => Option.none()))
  const database = Option.orElse(databaseUrl, () => Option.map(running, (stores) => stores.databaseUrl))
  const redis = Option.orElse(redisUrl, () => Option.map(running, (stores) => stores.redisUrl))
  return yield* Effect.all([
    node,
    disk(dir),
    Option.isSome(database)
      ? reachable("postgres", "DATABASE_URL", Effect.provide(postgresVersion, Postgres.layer(database.value)))
      : installed("postgres", findPostgres),
    Option.isSome(redis)
      ? reachable("redis", "REDIS_URL", Effect.provide(redisVersion, Redis.layer(redis.value)))
      : installed("redis", findRedis),
    listens(settings.port, Option.isSome(running)),
    listens(settings.wsPort, Option.isSome(running)),
  ])
})

export const doctor = Command.make("doctor", { json, set }, (flags) =>
  Effect.gen(function* () {
    const findings = yield* examine
    const failed = findings.filter((finding) => finding.state === "fail").length
    if (flags.json) yield* printJson({ ok: failed === 0, checks: findings })
    else {
      const rows = findings.map((f) => [
        f.check,
        f.state,
        f.advice === undefined ? f.detail : `${f.detail}: ${f.advice}`,
      ])
      yield* print(table(["CHECK", "STATE", "DETAIL"], rows))
    }
    if (failed > 0) return yield* new Unhealthy({ failed })
  }).pipe(Effect.provide(configured(flags.set))),
).pipe(Command.withDescription("Check what Presage needs and say what to do about what is missing"))
