import { Effect } from "effect"
import type { Bench } from "./support/Bench.ts"
import type { IngestSubject, Rate } from "./support/ingest.ts"
import { type Subject, startSubject } from "./support/Subject.ts"
import { BenchStores, withStores } from "./support/stores.ts"
import type { VenueSubject } from "./support/venue.ts"

const compared = 300_000

const perSecond = ({ fills, seconds }: Rate) => fills / seconds
const count = (value: number) => value.toLocaleString("en")

const startFollower = Effect.gen(function* () {
  const { environment } = yield* BenchStores
  return yield* startSubject<IngestSubject>("ours/ingest.ts", environment, "580 seconds")
})

/** History from the simulated venue, which generates every log on request. */
const fromVenue = (url: string, head: number) =>
  Effect.gen(function* () {
    const follower = yield* startFollower
    return yield* follower.call("backfill", url, head - 1_000)
  }).pipe(withStores)

/** Part of the history from a node with prepared responses, and the cost of each step. */
const fromStored = (venue: Subject<VenueSubject>) =>
  Effect.gen(function* () {
    const { port, head } = yield* venue.call("store", compared)
    const url = `http://127.0.0.1:${port}`
    const follower = yield* startFollower
    const whole = yield* follower.call("backfill", url, head - 1_000)
    const inserted = yield* follower.call("insertOnly", url, compared / 2)
    const read = yield* follower.call("readOnly", url, compared / 2)
    return { whole, inserted, read }
  }).pipe(withStores)

/** The whole backfill: from the node's responses to facts, positions and the cursor in Postgres. */
export const ingestion: Bench = Effect.gen(function* () {
  const venue = yield* startSubject<VenueSubject>("ours/venue.ts", {}, "120 seconds")
  const scale = process.env["INGEST_SCALE"] === "small" ? "small" : "medium"
  const { port, head } = yield* venue.call("start", scale)
  const live = yield* fromVenue(`http://127.0.0.1:${port}`, head)
  const { whole, inserted, read } = yield* fromStored(venue)
  return {
    lines: [
      {
        what: `backfill of ${count(whole.fills)} fills of ${scale}`,
        unit: "fills/s",
        ours: perSecond(whole),
        goal: { least: 10_000 },
      },
      {
        what: "  compared to the inserts alone",
        unit: "fills/s",
        ours: perSecond(whole),
        limit: { name: "the same inserts", value: perSecond(inserted) },
        ratio: { to: "the inserts", value: perSecond(whole) / perSecond(inserted) },
        goal: { share: 0.4 },
      },
      { what: "  reading and decoding alone", unit: "fills/s", ours: perSecond(read) },
      {
        what: `backfill from the simulated venue, all ${count(live.fills)}`,
        unit: "fills/s",
        ours: perSecond(live),
        goal: { least: 10_000 },
      },
      { what: "  maximum memory growth", unit: "MB", ours: live.grownMegabytes, goal: { most: 300 } },
    ],
    notes: [
      "first from a node with prepared responses, which simulates a remote node; then from the venue, which generates each log on request on the same two cores",
      `the inserts: prepared rows of ${count(inserted.fills)} fills, into empty tables with the same indexes`,
      `${Math.round(live.seconds)} s for the whole history from the venue`,
    ],
    rounds: { live, whole, inserted, read },
  }
})
