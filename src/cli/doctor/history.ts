import { join, resolve } from "node:path"
import { Effect, Option, type Redacted } from "effect"
import { readHeld } from "#src/ledger/diskNeed.ts"
import { diskCheck, historyGoal } from "#src/ledger/settings.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import * as settings from "#src/platform/config/settings.ts"
import { sizeOf } from "#src/platform/embedded/space.ts"
import { checkFits, gigabytes, historyNeed, historySetting, whyFewer } from "#src/roles/historyDisk.ts"
import { upstream } from "#src/upstream/settings.ts"
import { type Finding, fail, ok, warn } from "./Finding.ts"
import { askPostgres } from "./stores.ts"

const check = "history"

/** What a ledger that is not running, and cannot be asked, takes already. */
const storedBytes = Effect.flatMap(Configuration, (config) =>
  Effect.try(() => sizeOf(join(resolve(config.get(settings.presageDir)), "postgres"))).pipe(
    Effect.orElseSucceed(() => 0),
  ),
)

/** What the ledger in a database has, if the database answers. */
export const heldHistory = (database: Option.Option<Redacted.Redacted<string>>) =>
  Option.isNone(database)
    ? Effect.undefined
    : Effect.orElseSucceed(askPostgres(database.value, readHeld), () => undefined)

/** Whether the disk has room for the history, of which `database` has a part if it answers. */
export const historyFinding = Effect.fnUntraced(function* (
  database: Option.Option<Redacted.Redacted<string>>,
): Effect.fn.Return<Finding, never, Configuration> {
  const config = yield* Configuration
  const held = yield* heldHistory(database)
  const need = yield* historyNeed(held)
  const { missing } = need
  const wanted = historySetting(config.get(historyGoal), config.get(upstream) === "simulator", need.autoDays)
  if (missing === undefined) return ok(check, `${wanted}: its size is known once the ledger has begun`)
  if (Option.isSome(config.get(settings.databaseUrl))) {
    const more = held === undefined ? "" : " more"
    return ok(
      check,
      `${wanted} needs about ${gigabytes(missing)}${more} at DATABASE_URL, whose disk cannot be seen here`,
    )
  }
  const needed = Option.isSome(database) ? missing : Math.max(0, missing - (yield* storedBytes))
  const fewer = whyFewer(need)
  const judge = (free: number) => {
    const detail = `${wanted} needs about ${gigabytes(needed)} more, and ${gigabytes(free)} are free`
    if (fewer !== undefined) return warn(check, detail, fewer)
    return needed <= free ? ok(check, detail) : warn(check, detail, `${diskCheck.env} is off, so that it starts anyway`)
  }
  return yield* checkFits(needed).pipe(
    Effect.map(judge),
    Effect.catchTag("DiskTooSmall", ({ detail, advice }) => Effect.succeed(fail(check, detail, advice))),
  )
})
