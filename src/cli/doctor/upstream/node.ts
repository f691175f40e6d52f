import { Clock, Effect } from "effect"
import { historyGoal } from "#src/ledger/settings.ts"
import { asksForLess } from "#src/upstream/chain/failures.ts"
import { type NodeRefusal, understand } from "#src/upstream/chain/refusals.ts"
import { type Finding, fail, ok, warn } from "../Finding.ts"
import { ask, hostOf } from "./ask.ts"
import { balancesFinding, depthFinding, type WantedHistory, wantedHistory } from "./depth.ts"
import { call, errorText, fieldOf, logsOf, parsed, type Reply } from "./rpcCall.ts"

const polygon = 137
const staleSeconds = 60
const widestRange = 10_000
const largestBatch = 100
const numberOf = (value: unknown) => Number(value)

/** What to do about a refusal that says nothing about ranges. */
const adviceFor = (refusal: NodeRefusal | undefined) => {
  if (refusal === undefined) return "smaller ranges are tried"
  if (refusal.meaning === "pruned") return "use a node with older logs"
  return "ask again: the ranges that it answers are not known"
}

const limitOf = ({ maxBlocks, fittingBlocks }: NodeRefusal) => maxBlocks ?? fittingBlocks

/** Largest range that the node answers, as far as one request shows it. */
const rangeFinding = (check: string, url: string, head: number, { setting, from }: WantedHistory) =>
  Effect.match(logsOf(url, Math.max(0, head - widestRange + 1), head), {
    onSuccess: () => ok(check, `answers ranges of ${widestRange} blocks`),
    onFailure: ({ reason, refusal }): Finding => {
      if (refusal === undefined || !asksForLess(refusal)) {
        return warn(check, `refuses a range of ${widestRange} blocks: ${reason}`, adviceFor(refusal))
      }
      const limit = limitOf(refusal)
      if (limit === undefined) return ok(check, `answers narrower ranges than ${widestRange} blocks, which are found`)
      const detail = `answers ranges of ${limit} blocks`
      if (from === undefined || from >= head) return ok(check, detail)
      const ranges = Math.ceil((head - from) / limit)
      return warn(
        check,
        detail,
        `${setting} takes about ${ranges.toLocaleString("en")} ranges; set fewer days in ${historyGoal.env}, or use another plan`,
      )
    },
  })

const batchFinding = (check: string, url: string) => {
  const calls = Array.from({ length: largestBatch }, (_, id) => ({
    jsonrpc: "2.0",
    id,
    method: "eth_chainId",
    params: [],
  }))
  return Effect.match(ask(url, calls), {
    onSuccess: ({ status, text }): Finding => {
      const replies = parsed(text)
      const first = Array.isArray(replies) ? (replies[0] as Reply | undefined) : (replies as Reply | undefined)
      if (Array.isArray(replies) && first?.error === undefined)
        return ok(check, `answers batches of ${largestBatch} calls`)
      const reason = first?.error === undefined ? `status ${status}` : errorText(first.error)
      const { maxCalls } = understand(first?.error?.code, reason) ?? {}
      const size = maxCalls === undefined ? "fewer" : String(maxCalls)
      return warn(check, `answers batches of ${size} calls: ${reason}`, "requests are split, which takes longer")
    },
    onFailure: (reason) => warn(check, reason, "requests are sent one by one"),
  })
}

const finalizedFinding = (check: string, url: string) =>
  Effect.match(call(url, "eth_getBlockByNumber", ["finalized", false]), {
    onSuccess: (block) => ok(check, `names the finalized block, ${numberOf(fieldOf(block, "number"))}`),
    onFailure: () =>
      warn(check, "does not name the finalized block", "events are final after LEDGER_REORG_DEPTH blocks"),
  })

/** Probes a node with a few cheap calls. */
export const nodeFindings = Effect.fnUntraced(function* (url: string, isSimulated: boolean, autoDays: number) {
  const check = (what: string) => `node ${hostOf(url)} ${what}`
  const reached = yield* Effect.result(
    Effect.all([call(url, "eth_chainId", []), call(url, "eth_getBlockByNumber", ["latest", false])]),
  )
  if (reached._tag === "Failure") {
    return [fail(check("reachable"), reached.failure.reason, "check UPSTREAM_RPC_URL and the plan of the provider")]
  }
  const [chainId, latest] = reached.success
  const chain = numberOf(chainId)
  const head = numberOf(fieldOf(latest, "number"))
  const now = yield* Clock.currentTimeMillis
  const age = Math.round(now / 1000 - numberOf(fieldOf(latest, "timestamp")))
  const wanted = yield* wantedHistory(head, now, isSimulated, autoDays)
  const rest = yield* Effect.all(
    [
      rangeFinding(check("range"), url, head, wanted),
      batchFinding(check("batch"), url),
      isSimulated
        ? Effect.succeed(ok(check("history"), "has all blocks of the simulated venue"))
        : depthFinding(check("history"), url, head, wanted),
      balancesFinding(check("balances"), url, head),
      finalizedFinding(check("finalized"), url),
    ],
    { concurrency: "unbounded" },
  )
  return [
    chain === polygon
      ? ok(check("chain"), "is a node of Polygon")
      : fail(check("chain"), `is a node of chain ${chain}`, `use a node of Polygon, which is chain ${polygon}`),
    age > staleSeconds
      ? warn(check("head"), `block ${head} is ${age} s old`, "the node is behind; live data are as late")
      : ok(check("head"), `block ${head} is ${age} s old`),
    ...rest,
  ]
})
