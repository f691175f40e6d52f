import { Clock, Effect } from "effect"
import { venueBegan } from "#src/ledger/firstBlock.ts"
import { type NodeRefusal, understand } from "#src/upstream/chain/refusals.ts"
import { type Finding, fail, ok, warn } from "../Finding.ts"
import { ask, hostOf } from "./ask.ts"

const polygon = 137
const staleSeconds = 60
const widestRange = 10_000
const largestBatch = 100
/** A topic that no contract has: the answer is empty, however wide the range is. */
const noTopic = `0x${"0".repeat(63)}1`

const quantity = (value: number) => `0x${value.toString(16)}`

interface Reply {
  readonly result?: unknown
  readonly error?: { readonly code?: number; readonly message?: string; readonly data?: unknown }
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const textOf = ({ message = "", data }: NonNullable<Reply["error"]>) =>
  data === undefined ? message : `${message} ${typeof data === "string" ? data : JSON.stringify(data)}`

/** One call; fails with the node's words. */
const call = (url: string, method: string, params: ReadonlyArray<unknown>) =>
  Effect.flatMap(ask(url, { jsonrpc: "2.0", id: 1, method, params }), ({ status, text }) => {
    const reply = parsed(text) as Reply | undefined
    if (reply?.error !== undefined) return Effect.fail(textOf(reply.error))
    return reply?.result === undefined
      ? Effect.fail(`status ${status}: ${text.slice(0, 120)}`)
      : Effect.succeed(reply.result)
  })

const numberOf = (value: unknown) => Number(value)
const fieldOf = (value: unknown, name: string) => (value as Readonly<Record<string, unknown>> | null)?.[name]

const logsOf = (url: string, from: number, to: number) =>
  call(url, "eth_getLogs", [{ fromBlock: quantity(from), toBlock: quantity(to), topics: [noTopic] }])

const limitOf = ({ maxBlocks, fittingBlocks }: NodeRefusal) => maxBlocks ?? fittingBlocks

/** Largest range that the node answers, as far as one request shows it. */
const rangeFinding = (check: string, url: string, head: number) =>
  Effect.match(logsOf(url, Math.max(0, head - widestRange + 1), head), {
    onSuccess: () => ok(check, `answers ranges of ${widestRange} blocks`),
    onFailure: (reason): Finding => {
      const refusal = understand(undefined, reason)
      const limit = refusal === undefined ? undefined : limitOf(refusal)
      if (limit === undefined)
        return warn(check, `refuses a range of ${widestRange} blocks: ${reason}`, "smaller ranges are tried")
      const calls = Math.ceil((30 * 57_600) / limit)
      return warn(
        check,
        `answers ranges of ${limit} blocks`,
        `30 days of history take about ${calls.toLocaleString("en")} ranges; set LEDGER_HISTORY to fewer days, or use another plan`,
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
      const reason = first?.error === undefined ? `status ${status}` : textOf(first.error)
      const { maxCalls } = understand(first?.error?.code, reason) ?? {}
      const size = maxCalls === undefined ? "fewer" : String(maxCalls)
      return warn(check, `answers batches of ${size} calls: ${reason}`, "requests are split, which takes longer")
    },
    onFailure: (reason) => warn(check, reason, "requests are sent one by one"),
  })
}

const depthFinding = (check: string, url: string) =>
  Effect.match(logsOf(url, venueBegan, venueBegan), {
    onSuccess: () => ok(check, "has the logs of the venue's first blocks"),
    onFailure: (reason) =>
      warn(check, `does not have the logs of the venue's first blocks: ${reason}`, "history ends where its logs end"),
  })

const finalizedFinding = (check: string, url: string) =>
  Effect.match(call(url, "eth_getBlockByNumber", ["finalized", false]), {
    onSuccess: (block) => ok(check, `names the finalized block, ${numberOf(fieldOf(block, "number"))}`),
    onFailure: () =>
      warn(check, "does not name the finalized block", "events are final after LEDGER_REORG_DEPTH blocks"),
  })

/** Probes a node with a few cheap calls. */
export const nodeFindings = Effect.fnUntraced(function* (url: string, isSimulated: boolean) {
  const check = (what: string) => `node ${hostOf(url)} ${what}`
  const reached = yield* Effect.result(
    Effect.all([call(url, "eth_chainId", []), call(url, "eth_getBlockByNumber", ["latest", false])]),
  )
  if (reached._tag === "Failure") {
    return [fail(check("reachable"), reached.failure, "check UPSTREAM_RPC_URL and the plan of the provider")]
  }
  const [chainId, latest] = reached.success
  const chain = numberOf(chainId)
  const head = numberOf(fieldOf(latest, "number"))
  const age = Math.round((yield* Clock.currentTimeMillis) / 1000 - numberOf(fieldOf(latest, "timestamp")))
  const rest = yield* Effect.all(
    [
      rangeFinding(check("range"), url, head),
      batchFinding(check("batch"), url),
      ...(isSimulated ? [] : [depthFinding(check("history"), url)]),
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
