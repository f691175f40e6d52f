import { Effect, Layer, Option, Schema } from "effect"
import { Command, Flag } from "effect/unstable/cli"
import { Configuration } from "#src/platform/config/Configuration.ts"
import * as settings from "#src/platform/config/settings.ts"
import { findPostgres } from "#src/platform/embedded/postgresBinaries.ts"
import { findRedis } from "#src/platform/embedded/Redis.ts"
import { peek, type StoreAddresses } from "#src/platform/embedded/Stores.ts"
import { exitCodes } from "#src/platform/process/exitCodes.ts"
import { Endpoints } from "#src/upstream/Endpoints.ts"
import { configured, json, set } from "./configured.ts"
import { descriptions } from "./descriptions.ts"
import type { Finding } from "./doctor/Finding.ts"
import { historyFinding } from "./doctor/history.ts"
import { directoryFindings, nodeFinding, portFinding } from "./doctor/machine.ts"
import { checkPostgres, checkRedis, defaultPorts, storeFinding, timeoutMillis } from "./doctor/stores.ts"
import { whatWorks } from "./doctor/upstream/works.ts"
import { examineUpstream } from "./doctor/upstream.ts"
import { print, printJson, table } from "./print.ts"
import { venueToAsk } from "./runningInstance.ts"

export class ChecksFailed extends Schema.TaggedError<ChecksFailed>()("ChecksFailed", { failed: Schema.Number }) {
  readonly exitCode = exitCodes.unexpected
  override get message() {
    return this.failed === 1 ? "one check failed" : `${this.failed} checks failed`
  }
}

/** Checks everything that Presage needs, concurrently. */
export const examine: Effect.Effect<ReadonlyArray<Finding>, never, Configuration> = Effect.gen(function* () {
  const config = yield* Configuration
  const dir = config.get(settings.presageDir)
  const databaseUrl = config.get(settings.databaseUrl)
  const redisUrl = config.get(settings.redisUrl)
  const stores = yield* Effect.cached(peek({ dir, databaseUrl, redisUrl }, timeoutMillis))
  const running = (url: (stores: StoreAddresses) => StoreAddresses["databaseUrl"]) =>
    Effect.map(stores, (found) => Option.map(found, url))
  const findings = yield* Effect.all(
    [
      nodeFinding,
      Effect.sync(() => directoryFindings(dir, Option.isNone(Option.all([databaseUrl, redisUrl])))),
      storeFinding({
        check: "postgres",
        variable: settings.databaseUrl.env,
        given: databaseUrl,
        running: running((found) => found.databaseUrl),
        isInstalled: findPostgres,
        connect: checkPostgres,
        defaultPort: defaultPorts.postgres,
      }),
      storeFinding({
        check: "redis",
        variable: settings.redisUrl.env,
        given: redisUrl,
        running: running((found) => found.redisUrl),
        isInstalled: findRedis,
        connect: checkRedis,
        defaultPort: defaultPorts.redis,
      }),
      Effect.flatMap(
        Effect.orElseSucceed(
          running((found) => found.databaseUrl),
          () => Option.none(),
        ),
        (found) => historyFinding(Option.orElse(databaseUrl, () => found)),
      ),
      portFinding(settings.port),
      portFinding(settings.wsPort),
    ],
    { concurrency: "unbounded" },
  )
  return findings.flat()
})

const upstreamFlag = Flag.Boolean("upstream").pipe(
  Flag.withDescription("Probe the node and every host of the venue instead of this machine"),
  Flag.withDefault(false),
)

const endpoints = Endpoints.layer.pipe(Layer.provide(venueToAsk))

export const doctor = Command.make("doctor", { json, set, upstream: upstreamFlag }, (flags) =>
  Effect.gen(function* () {
    const findings = yield* flags.upstream ? Effect.provide(examineUpstream, endpoints) : examine
    const failed = findings.filter((finding) => finding.state === "fail").length
    const works = flags.upstream ? whatWorks(findings) : undefined
    if (flags.json) yield* printJson({ ok: failed === 0, checks: findings, ...(works === undefined ? {} : { works }) })
    else {
      const rows = findings.map(({ check, state, detail, advice }) => [
        check,
        state,
        advice === undefined ? detail : `${detail}: ${advice}`,
      ])
      yield* print(table(["CHECK", "STATE", "DETAIL"], rows))
      const answers = works?.map(({ what, works: answer, because = "" }) => [what, answer, because])
      if (answers !== undefined) yield* print(`\n${table(["WHAT WILL WORK", "", "BECAUSE"], answers)}`)
    }
    if (failed > 0) return yield* new ChecksFailed({ failed })
  }).pipe(Effect.provide(configured(flags.set))),
).pipe(Command.withDescription(descriptions.doctor))
