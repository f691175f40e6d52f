import { Effect, Redacted } from "effect"
import { startPostgres } from "#src/platform/embedded/Postgres.ts"
import { type Operation, operationsOf, requestsOf } from "../../scripts/examples/requests.ts"
import { ask, type Choices, choicesIn, type Service } from "../../scripts/examples/world.ts"
import { startApi } from "./support/api.ts"
import type { Bench } from "./support/Bench.ts"
import { ensureLedgers, openLedger } from "./support/largeLedger.ts"
import { startProgram } from "./support/program.ts"
import type { Goal, Line } from "./support/report.ts"
import { startSubject } from "./support/Subject.ts"
import { cancelledIn, counting, type SlowStatement, statementStats } from "./support/statementStats.ts"
import { temporaryDirectory } from "./support/stores.ts"
import type { RollupsSubject, V3Choice, V3ChoiceSubject } from "./support/v3.ts"

/** `postgres.statement-timeout`. */
const allowedMillis = 5_000
/** The first request finds nothing in memory, the second one is what clients get. */
const repeats = 2
const shown = 8
const programSeconds = 120

/** The busiest wallets, tokens and markets instead of those that the documentation shows. */
const busiest = (choices: ReadonlyArray<Choices>, { holders, traders, tokens, conditions, slugs }: V3Choice) =>
  [...holders, ...traders].map((wallet, i): Choices => {
    const [token, condition, slug] = [tokens, conditions, slugs].map((names) => names[i % names.length])
    return {
      ...choices[i % choices.length],
      WALLET: wallet,
      ...(token && condition && slug ? { TOKEN: token, CONDITION: condition, SLUG: slug } : {}),
    }
  })

interface Answered {
  readonly operation: Operation
  readonly statuses: ReadonlyArray<number>
}

/** What needs the venue or a worker, which this bench does not run. */
const isUnavailable = (status: number) => status >= 500

const requestAll = async (service: Service, choices: ReadonlyArray<Choices>): Promise<ReadonlyArray<Answered>> => {
  const answered: Array<Answered> = []
  for (const operation of (await operationsOf(service)).filter(({ method }) => method === "GET")) {
    const statuses: Array<number> = []
    const requests = requestsOf(operation, choices, "most").flatMap((request) => Array(repeats).fill(request))
    for (const request of requests) {
      statuses.push((await ask(service, "GET", request)).status)
      if (statuses.some(isUnavailable)) break
    }
    answered.push({ operation, statuses })
  }
  return answered
}

/** Requests everything that can be read, as many rows as allowed, from the large ledger. */
const ofRequests = Effect.gen(function* () {
  const { environment, dir } = yield* openLedger("whole", counting)
  const databaseUrl = environment["DATABASE_URL"] ?? ""
  const rollups = yield* startSubject<RollupsSubject>("ours/rollups.ts", environment, "1200 seconds")
  yield* rollups.call("prepare")
  yield* rollups.call("prepareLists")
  const chooser = yield* startSubject<V3ChoiceSubject>("support/v3Choice.ts", {}, "600 seconds")
  const choice = yield* chooser.call("choose", databaseUrl)
  const { port, key } = yield* startApi({ ...environment, LOG_LEVEL: "error" })
  const service: Service = { address: `http://127.0.0.1:${port}`, key }
  const choices = yield* Effect.promise(() => choicesIn(service))
  const stats = yield* statementStats(databaseUrl)
  yield* stats.forget
  const cancelledBefore = yield* cancelledIn(dir)
  const answered = yield* Effect.promise(() => requestAll(service, busiest(choices, choice)))
  return { answered, statements: yield* stats.slowest, cancelled: (yield* cancelledIn(dir)) - cancelledBefore }
}).pipe(Effect.scoped)

/** Starts the program on an empty database and lets it work. */
const ofProgram = Effect.gen(function* () {
  const postgres = yield* startPostgres({ dir: yield* temporaryDirectory, config: counting })
  const databaseUrl = Redacted.value(postgres.url)
  const stats = yield* statementStats(databaseUrl)
  yield* startProgram(yield* temporaryDirectory, { DATABASE_URL: databaseUrl, SIM_SCALE: "small", LOG_LEVEL: "warn" })
  yield* Effect.sleep(`${programSeconds} seconds`)
  return yield* stats.slowest
}).pipe(Effect.scoped)

const linesOf = (what: string, statements: ReadonlyArray<SlowStatement>, goal?: Goal): ReadonlyArray<Line> => [
  { what, unit: "ms", ours: statements[0]?.longest ?? 0, ...(goal && { goal }) },
  ...statements.slice(0, shown).map(({ text, calls, longest }) => ({
    what: `  ${text.slice(0, 70)} (${calls.toLocaleString("en")} calls)`,
    unit: "ms",
    ours: longest,
  })),
]

/** The longest call of each statement, of requests at the busiest names and of a program that starts and works. */
export const statements: Bench = Effect.gen(function* () {
  yield* ensureLedgers(["whole"])
  const { answered, cancelled, statements: requested } = yield* ofRequests
  const worked = yield* ofProgram
  const count = (isCounted: (status: number) => boolean) =>
    answered.flatMap(({ statuses }) => statuses.filter(isCounted)).length
  const unavailable = answered.filter(({ statuses }) => statuses.some(isUnavailable))
  return {
    lines: [
      ...linesOf("longest statement of a request", requested, { most: allowedMillis / 2 }),
      { what: "  statements that took too long and were cancelled", unit: "", ours: cancelled, goal: { most: 0 } },
      ...linesOf("longest statement of the program", worked),
    ],
    notes: [
      `${answered.length} operations, ${count(() => true)} requests at the large ledger's busiest wallets, tokens and markets, ${count((status) => status === 200)} answered with 200`,
      `not answered without the venue or a worker: ${unavailable.map(({ operation }) => operation.operationId).join(", ")}`,
      `the program: from an empty database at \`small\` until ${programSeconds} s after it was ready`,
      `a statement of a request may take ${allowedMillis / 1000} s; those of jobs have longer limits of their own`,
    ],
    rounds: { answered, requested, worked },
  }
})
