import { Effect } from "effect"
import type { Directory } from "./directory.ts"
import { type Announcement, claim, type Owner, type Ownership } from "./Ownership.ts"
import { isFree } from "./ports.ts"
import { runStores } from "./runStores.ts"
import { StoreUnavailable } from "./StoreUnavailable.ts"
import { pause } from "./waiting.ts"

const claimMillis = 150_000
const retryMillis = 10_000
const names = { postgres: "Postgres", redis: "Redis" }

/** The ports in use: addresses that clients already have cannot change. */
type Ports = Pick<Announcement, "postgres" | "redis">

const explain = Effect.fnUntraced(function* (dir: Directory, ports: Ports, error: StoreUnavailable) {
  if (error.store === "directory") return error
  const port = ports[error.store]
  if (port === null || (yield* isFree(port))) return error
  const name = names[error.store]
  return new StoreUnavailable({
    store: error.store,
    message: `${name} of ${dir.path} cannot restart on port ${port}, which another program has taken: stop that program, or restart every Presage process of this directory.`,
  })
})

const takeOver = Effect.fnUntraced(function* (dir: Directory, ownership: Ownership, last: Announcement) {
  yield* runStores(dir, ownership, {
    postgres: last.postgres ?? "none",
    redis: last.redis ?? "none",
    brief: false,
  }).pipe(Effect.catch((error) => Effect.flatMap(explain(dir, last, error), Effect.fail)))
  yield* Effect.logInfo(`took over the stores of ${dir.path} from process ${last.pid}, which has exited`)
})

const serves = (next: Announcement, known: Ports) =>
  (["postgres", "redis"] as const).every((store) => known[store] === null || next[store] === known[store])

/** Ends when the stores are no longer where this process expects them. */
const watch = Effect.fnUntraced(function* (
  dir: Directory,
  first: Owner,
  uses: ReadonlyArray<"postgres" | "redis">,
): Effect.fn.Return<void> {
  const known: Ports = {
    postgres: uses.includes("postgres") ? first.announcement.postgres : null,
    redis: uses.includes("redis") ? first.announcement.redis : null,
  }
  let last = first.announcement
  let lastReport = ""

  const followNextOwner = Effect.gen(function* () {
    const claimed = yield* claim(dir, { forMillis: claimMillis })
    if ("announce" in claimed) {
      yield* takeOver(dir, claimed, last)
      return yield* Effect.never
    }
    const { announcement, gone } = claimed
    if (!serves(announcement, known)) {
      yield* Effect.logError(
        `process ${announcement.pid} now runs the stores of ${dir.path} on other ports: restart this process`,
      )
      return "moved"
    }
    last = announcement
    lastReport = ""
    yield* gone
    return "over"
  })
  const reportFailure = Effect.fnUntraced(function* ({ message }: StoreUnavailable) {
    if (message !== lastReport) yield* Effect.logError(message)
    lastReport = message
    yield* pause(retryMillis)
    return "failed"
  })

  yield* first.gone
  while ((yield* followNextOwner.pipe(Effect.scoped, Effect.catch(reportFailure))) !== "moved") {}
})

/**
 * Watches the joined owner and, when it is gone, runs the stores on the same ports until the scope closes. Of several
 * watching processes one takes over; the others watch that one.
 */
export const takeOverWhenGone = (dir: Directory, owner: Owner, uses: ReadonlyArray<"postgres" | "redis">) =>
  Effect.asVoid(Effect.forkScoped(watch(dir, owner, uses)))
