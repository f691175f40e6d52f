import { Agent, type IncomingMessage, request } from "node:http"
import { setTimeout } from "node:timers/promises"
import { allowances } from "#src/domain/Plan.ts"
import type { Dice } from "#src/simulator/random.ts"
import { operationsOf, requestsOf } from "../../../scripts/examples/requests.ts"
import type { Choices } from "../../../scripts/examples/world.ts"
import type { Account } from "./accounts.ts"

const rows = 20
/** A little more than allowed, so that some requests are refused. */
const eagerness = 1.05

/** The requests of each operation that only reads, as the documentation shows them, for different wallets and markets. */
export const readingRequests = async (
  address: string,
  key: string,
  choices: ReadonlyArray<Choices>,
): Promise<ReadonlyArray<ReadonlyArray<string>>> => {
  const operations = await operationsOf({ address, key })
  return operations.filter(({ method }) => method === "GET").map((each) => requestsOf(each, choices, rows))
}

export interface Answers {
  readonly statuses: Map<number, number>
  /** Errors of the service, by path without its query. */
  readonly errors: Map<string, number>
  latencies: Array<number>
}

const ask = async (address: string, path: string, key: string, agent: Agent) => {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    request(`${address}${path}`, { headers: { "x-api-key": key, "accept-encoding": "gzip" }, agent }, resolve)
      .on("error", reject)
      .end()
  })
  for await (const _ of answer);
  return answer.statusCode ?? 0
}

const count = <K>(counts: Map<K, number>, key: K) => void counts.set(key, (counts.get(key) ?? 0) + 1)

/** Asks for anything, over and over. Several of them together send as many requests as the plan of their account allows. */
export const keepAsking = async (
  address: string,
  { plan, key, requesters }: Account,
  operations: ReadonlyArray<ReadonlyArray<string>>,
  dice: Dice,
  answers: Answers,
) => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const everyMillis = (requesters * 60_000) / (allowances[plan].standardPerMinute * eagerness)
  let due = performance.now() + dice.unit() * everyMillis
  for (;;) {
    await setTimeout(Math.max(0, due - performance.now()))
    const since = performance.now()
    due = Math.max(due + everyMillis, since)
    const path = dice.pick(dice.pick(operations))
    const status = await ask(address, path, key, agent).catch(() => 0)
    answers.latencies.push(performance.now() - since)
    count(answers.statuses, status)
    if (status === 0 || status >= 500) count(answers.errors, `${status} ${path.split("?")[0]}`)
  }
}
