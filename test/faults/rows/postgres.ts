import { Effect, Redacted } from "effect"
import pg from "pg"
import { pause } from "#src/platform/embedded/waiting.ts"
import { ofAllWorkers } from "../support/inFlight.ts"
import type { Row } from "../support/Row.ts"

const lastsMillis = 15_000
/** More than the server accepts. */
const wanted = 210
const name = "presage faults"

const open = async (url: string) => {
  const client = new pg.Client({ connectionString: url, application_name: name })
  client.on("error", () => undefined)
  await client.connect()
  return client
}

/** Takes every connection from the service, and those that become free. */
const takeAll = async (url: string, forMillis: number) => {
  const until = Date.now() + forMillis
  const first = await open(url)
  const taken = [first]
  try {
    while (Date.now() < until) {
      const more = await Promise.allSettled(Array.from({ length: wanted - taken.length }, () => open(url)))
      taken.push(...more.flatMap((each) => (each.status === "fulfilled" ? [each.value] : [])))
      await first.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where backend_type = 'client backend' and application_name <> '${name}'`,
      )
      await first.query("select pg_sleep(0.1)")
    }
  } finally {
    await Promise.allSettled(taken.map((each) => each.end()))
  }
}

/** Postgres refuses what is asked of it. */
export const postgresFaults: ReadonlyArray<Row> = [
  {
    name: "Postgres out of connections for 15 s",
    within: 30,
    mayRepeat: ofAllWorkers,
    tells: { guilty: "postgres", innocent: "redis" },
    fault: ({ postgres }) => Effect.promise(() => takeAll(Redacted.value(postgres.url), lastsMillis)),
  },
  {
    name: "Postgres read-only for 15 s",
    within: 30,
    mayRepeat: ofAllWorkers,
    tells: { guilty: "postgres", innocent: "redis" },
    fault: ({ postgres }) =>
      Effect.gen(function* () {
        const url = Redacted.value(postgres.url)
        const set = (mode: "on" | "off") =>
          Effect.promise(async () => {
            const client = await open(url)
            await client.query("set default_transaction_read_only = off")
            await client.query(`alter system set default_transaction_read_only = ${mode}`)
            await client.query("select pg_reload_conf()")
            await client.end()
          })
        yield* set("on")
        yield* pause(lastsMillis)
        yield* set("off")
      }),
  },
]
