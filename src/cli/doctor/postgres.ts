import { PgClient } from "@effect/sql-pg"
import { Effect, type Redacted } from "effect"
import * as Reactivity from "effect/unstable/reactivity/Reactivity"
import { abandonAfter } from "#src/platform/process/deadline.ts"
import { oldest } from "#src/platform/StoreVersions.ts"
import { describe } from "#src/platform/sql/sqlFailure.ts"
import { type Finding, fail, ok, olderThan } from "./Finding.ts"
import { hostAndPort, patienceMillis, tooLate } from "./reach.ts"

export const usualPort = 5432

export const judgePostgres = (where: string, version: string): Finding =>
  olderThan(version, oldest.postgres)
    ? fail(
        "postgres",
        `${where} is version ${version}`,
        `Presage needs Postgres ${oldest.postgres} or newer (DATABASE_URL)`,
      )
    : ok("postgres", `${version}, reachable at ${where}`)

/** One connection and one question, without the patience of a service that starts. */
export const lookAtPostgres = (url: Redacted.Redacted<string>): Effect.Effect<Finding, string> =>
  Effect.gen(function* () {
    const sql = yield* PgClient.makeClient({ url, connectTimeout: patienceMillis, applicationName: "presage doctor" })
    const [row] = yield* sql<{ version: string }>`select current_setting('server_version') as version`
    return judgePostgres(hostAndPort(url, usualPort), row?.version ?? "unknown")
  }).pipe(
    Effect.scoped,
    Effect.provide(Reactivity.layer),
    Effect.mapError((error) =>
      error.message.includes("parse server response")
        ? "what answers there is not Postgres"
        : describe(error).replace(/^Postgres: /, ""),
    ),
    (asking) => abandonAfter(asking, patienceMillis + 500, () => tooLate),
  )
