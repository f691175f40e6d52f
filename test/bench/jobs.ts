import { Effect } from "effect"
import type { Bench } from "./support/Bench.ts"
import { batch, concurrency, type JobsSubject } from "./support/jobs.ts"
import { interleave } from "./support/rounds.ts"
import { type Subject, startSubject } from "./support/Subject.ts"
import { median, medianRatio } from "./support/statistics.ts"
import { BenchStores, withStores } from "./support/stores.ts"

const rounds = 7
const count = 5000

/** No-op jobs through the mesh, compared to a BullMQ worker written as in its guide. */
export const jobs: Bench = Effect.gen(function* () {
  const { environment } = yield* BenchStores
  const ours = yield* startSubject<JobsSubject>("ours/jobs.ts", environment)
  const plain = yield* startSubject<JobsSubject>("rivals/bullmq.ts", environment)

  const round = Effect.fnUntraced(function* (subject: Subject<JobsSubject>) {
    return { added: yield* subject.call("add", count), worked: yield* subject.call("work", count) }
  })
  const results = yield* interleave(rounds, { ours: round(ours), plain: round(plain) })

  const compare = (what: string, of: (result: { added: number; worked: number }) => number) => {
    const mine = results.ours.map(of)
    const theirs = results.plain.map(of)
    return {
      what,
      unit: "jobs/s",
      ours: median(mine),
      alternative: { name: "BullMQ", value: median(theirs) },
      ratio: { to: "BullMQ", value: medianRatio(mine, theirs) },
    }
  }
  return {
    lines: [
      { ...compare(`no-op jobs, concurrency ${concurrency}`, (each) => each.worked), goal: { share: 0.7 } },
      compare(`adding, ${batch} at a time`, (each) => each.added),
    ],
    notes: [],
    rounds: results,
  }
}).pipe(withStores)
