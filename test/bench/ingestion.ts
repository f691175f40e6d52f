import { Effect } from "effect"
import type { Bench } from "./support/Bench.ts"
import type { IngestSubject, Rate } from "./support/ingest.ts"
import { startSubject } from "./support/Subject.ts"
import { BenchStores, withStores } from "./support/stores.ts"
import type { VenueSubject } from "./support/venue.ts"

const compared = 200_000

const perSecond = ({ fills, seconds }: Rate) => fills / seconds

/** The whole way of history: from the node's answers to facts, positions and the cursor in Postgres. */
export const ingestion: Bench = Effect.gen(function* () {
  const { environment } = yield* BenchStores
  const venue = yield* startSubject<VenueSubject>("ours/venue.ts")
  const scale = process.env["INGEST_SCALE"] === "small" ? "small" : "medium"
  const { port, head } = yield* venue.ask("start", scale)
  const url = `http://127.0.0.1:${port}`
  const ours = yield* startSubject<IngestSubject>("ours/ingest.ts", environment, "580 seconds")
  const whole = yield* ours.ask("backfill", url, head - 1_000)
  const inserted = yield* ours.ask("insertOnly", url, compared)
  const read = yield* ours.ask("readOnly", url, compared)
  const ratio = { to: "the inserts", value: perSecond(whole) / perSecond(inserted) }
  const limit = { name: "the same inserts", value: perSecond(inserted) }
  return {
    lines: [
      {
        what: `backfill at ${scale}, ${whole.fills.toLocaleString("en")} fills`,
        unit: "fills/s",
        ours: perSecond(whole),
        goal: { least: 10_000 },
      },
      {
        what: "  beside its inserts alone",
        unit: "fills/s",
        ours: perSecond(whole),
        limit,
        ratio,
        goal: { share: 0.4 },
      },
      { what: "  reading and decoding alone", unit: "fills/s", ours: perSecond(read) },
      { what: "  memory grown by at most", unit: "MB", ours: whole.grownMegabytes, goal: { most: 300 } },
    ],
    notes: [
      `${Math.round(whole.seconds)} s in all; the venue, the follower and Postgres share two cores`,
      `the inserts: rows of ${inserted.fills.toLocaleString("en")} fills made beforehand, into empty tables with the same indexes`,
    ],
    rounds: { whole, inserted, read },
  }
}).pipe(withStores)
