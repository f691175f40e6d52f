import { Effect } from "effect"
import type { Bench } from "./support/Bench.ts"
import type { IngestSubject } from "./support/ingest.ts"
import { startSubject } from "./support/Subject.ts"
import { BenchStores, withStores } from "./support/stores.ts"
import type { VenueSubject } from "./support/venue.ts"

/** The whole way of history: from the node's answers to facts, positions and the cursor in Postgres. */
export const ingestion: Bench = Effect.gen(function* () {
  const { environment } = yield* BenchStores
  const venue = yield* startSubject<VenueSubject>("ours/venue.ts")
  const scale = process.env["INGEST_SCALE"] === "small" ? "small" : "medium"
  const { port, head } = yield* venue.ask("start", scale)
  const ours = yield* startSubject<IngestSubject>("ours/ingest.ts", environment, "280 seconds")
  const { fills, seconds, grownMegabytes } = yield* ours.ask("backfill", `http://127.0.0.1:${port}`, head - 1_000)
  return {
    lines: [
      {
        what: `backfill at ${scale}, ${fills.toLocaleString("en")} fills`,
        unit: "fills/s",
        ours: fills / seconds,
        goal: { least: 10_000 },
      },
      { what: "  memory grown by at most", unit: "MB", ours: grownMegabytes, goal: { most: 300 } },
    ],
    notes: [`${Math.round(seconds)} s in all; the venue, the follower and Postgres share two cores`],
    rounds: { fills, seconds, grownMegabytes },
  }
}).pipe(withStores)
