// Clients at the limits of their plans, which go on until the process is ended.
import { Dice } from "#src/simulator/random.ts"
import { quantile } from "#test/bench/support/statistics.ts"
import { choicesIn } from "../../../scripts/examples/world.ts"
import type { Account } from "./accounts.ts"
import { createHooks, type Deliveries } from "./hooks.ts"
import { type Answers, keepAsking, readingRequests } from "./requesters.ts"
import { keepSubscribing, type Traffic } from "./subscribers.ts"

const printsEveryMillis = 10_000
/** The latencies of the last minutes. */
const latenciesKept = 20_000

const address = process.env["API"] ?? ""
const streams = process.env["STREAMS"] ?? ""
const accounts: ReadonlyArray<Account> = JSON.parse(process.env["ACCOUNTS"] ?? "[]")
const dice = new Dice(Number(process.env["SEED"]))

const answers: Answers = { statuses: new Map(), errors: new Map(), latencies: [] }
const traffic: Traffic = { messages: 0, bytes: 0, connections: 0, refusals: 0, ends: new Map() }
const deliveries: Deliveries = { received: 0 }

const { key } = accounts.at(-1) ?? { key: "" }
const choices = await choicesIn({ address, key })
const operations = await readingRequests(address, key, choices)
await createHooks(address, accounts, choices, deliveries)

for (const account of accounts) {
  for (let i = 0; i < account.requesters; i++)
    void keepAsking(address, account, operations, new Dice(dice.next()), answers)
  for (const [kind, sockets] of [
    ["events", account.eventSockets],
    ["books", account.bookSockets],
  ] as const)
    for (let i = 0; i < sockets; i++)
      keepSubscribing({ address: streams, key: account.key, kind }, choices, new Dice(dice.next()), traffic)
}

setInterval(() => {
  answers.latencies = answers.latencies.slice(-latenciesKept)
  const summary = {
    statuses: Object.fromEntries(answers.statuses),
    errors: Object.fromEntries(answers.errors),
    p50: quantile(answers.latencies, 0.5),
    p99: quantile(answers.latencies, 0.99),
    ...traffic,
    ends: Object.fromEntries(traffic.ends),
    deliveries: deliveries.received,
  }
  process.stdout.write(`${JSON.stringify(summary)}\n`)
}, printsEveryMillis)
