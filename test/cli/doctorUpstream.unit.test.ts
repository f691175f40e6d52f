import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Finding, fail, ok, warn } from "#src/cli/doctor/Finding.ts"
import { inWords } from "#src/cli/doctor/upstream/ask.ts"
import { nodeFindings } from "#src/cli/doctor/upstream/node.ts"
import { whatWorks } from "#src/cli/doctor/upstream/works.ts"
import { testConfiguration } from "#test/support/TestStores.ts"
import { rpcServer } from "#test/upstream/chain/nodes.ts"

const head = 80_000_000
const perDay = 57_600

interface Call {
  readonly method: string
  readonly params: readonly [unknown, ...ReadonlyArray<unknown>]
}
type Reply = { readonly result: unknown } | { readonly error: { readonly code: number; readonly message: string } }

const header = (number: number | string) => ({
  result: { number: `0x${number.toString(16)}`, timestamp: `0x${Math.floor(Date.now() / 1000).toString(16)}` },
})

/** What a node of Polygon answers that has every block. */
const usual = ({ method, params }: Call): Reply => {
  if (method === "eth_chainId") return { result: "0x89" }
  if (method === "eth_getBlockByNumber") return header(/^0x/.test(String(params[0])) ? Number(params[0]) : head)
  return { result: [] }
}

/** Which part of a node is examined; the answers of some of its calls are others. */
const examined = (
  part: string,
  answer: (call: Call) => Reply | undefined,
  {
    flags = {},
    autoDays = 30,
    status = 200,
  }: { flags?: Record<string, string>; autoDays?: number; status?: number } = {},
) =>
  Effect.gen(function* () {
    const url = yield* rpcServer((asked) => {
      const calls = JSON.parse(asked) as Call | ReadonlyArray<Call>
      if (Array.isArray(calls)) return { status: 200, body: JSON.stringify(calls.map(usual)) }
      const changed = answer(calls as Call)
      return { status: changed === undefined ? 200 : status, body: JSON.stringify(changed ?? usual(calls as Call)) }
    })
    const found = yield* nodeFindings(url, false, autoDays).pipe(
      Effect.provide(testConfiguration({ upstream: "polymarket", "upstream.rpc-url": url, ...flags })),
    )
    return found.find(({ check }) => check.endsWith(` ${part}`)) as Finding
  }).pipe(Effect.scoped)

const widthOf = ({ params }: Call) => {
  const { fromBlock, toBlock } = params[0] as { readonly fromBlock: string; readonly toBlock: string }
  return { from: Number(fromBlock), blocks: Number(toBlock) - Number(fromBlock) + 1 }
}
const refusingRanges =
  (code: number, message: string) =>
  (call: Call): Reply | undefined =>
    call.method === "eth_getLogs" && widthOf(call).blocks > 1 ? { error: { code, message } } : undefined

describe("Ranges of a node", () => {
  it.live("are not said to be answered by a node that is busy, behind or without the blocks", () =>
    Effect.gen(function* () {
      for (const [code, message] of [
        [429, "daily quota"],
        [-32005, "request rate limited"],
        [-32000, "no backend is currently healthy to serve traffic"],
        [-32000, "block range extends beyond current head block"],
        [4444, "history has been pruned"],
      ] as const) {
        const found = yield* examined("range", refusingRanges(code, message))
        assert.strictEqual(found.state, "warn", message)
        assert.include(found.detail, message)
      }
      const status = yield* examined("range", refusingRanges(-32000, "slow down"), { status: 429 })
      assert.strictEqual(status.advice, "ask again: the ranges that it answers are not known")
      const narrower = yield* examined("range", refusingRanges(-32000, "block range is too wide"))
      assert.strictEqual(narrower.state, "ok")
    }),
  )

  it.live("that are narrow lead to advice that names LEDGER_HISTORY", () =>
    Effect.gen(function* () {
      const found = yield* examined("range", refusingRanges(-32000, "max block range 10"))
      assert.match(
        found.advice ?? "",
        /LEDGER_HISTORY=30d takes about 172,800 ranges; set fewer days in LEDGER_HISTORY/,
      )
    }),
  )
})

/** A node without the blocks before one. */
const keeping =
  (oldest: number, missing: Reply) =>
  (call: Call): Reply | undefined => {
    if (call.method === "eth_getLogs") return widthOf(call).from < oldest ? missing : undefined
    const number = call.method === "eth_getBlockByNumber" ? Number(call.params[0]) : Number.NaN
    return number < oldest ? missing : undefined
  }

describe("How far back the logs of a node go", () => {
  it.live("is not taken from a node that is busy", () =>
    Effect.gen(function* () {
      const busy = { error: { code: 429, message: "daily request count exceeded, request rate limited" } }
      const found = yield* examined("history", keeping(head - 5 * perDay, busy))
      assert.strictEqual(found.state, "warn")
      assert.match(found.detail, /could not be measured: daily request count exceeded/)
    }),
  )

  it.live("is found where older blocks are null, unknown or pruned", () =>
    Effect.gen(function* () {
      for (const missing of [
        { result: null },
        { error: { code: -32000, message: "header not found" } },
        { error: { code: 4444, message: "pruned history unavailable" } },
      ]) {
        const found = yield* examined("history", keeping(head - 5 * perDay, missing))
        const [, days] = /has the logs of about ([\d.]+) days/.exec(found.detail) ?? []
        assert.approximately(Number(days), 5, 0.1, found.detail)
      }
    }),
  )

  it.live("is compared with the days that a start would read, and with the first block that it may read", () =>
    Effect.gen(function* () {
      const whole = () => undefined
      const few = yield* examined("history", whole, { autoDays: 3 })
      assert.strictEqual(few.detail, `has the logs of block ${head - 3 * perDay}, where LEDGER_HISTORY=3d begins`)
      const none = yield* examined("history", whole, { autoDays: 0 })
      assert.strictEqual(none.detail, "none is read (LEDGER_HISTORY=none)")
      const flags = { "ledger.history": "all", "ledger.start-block": "79000000" }
      const late = yield* examined("history", whole, { flags })
      assert.strictEqual(late.detail, "has the logs of block 79000000, where LEDGER_START_BLOCK=79000000 begins")
    }),
  )
})

const node = (host: string, ...missing: ReadonlyArray<string>) =>
  ["chain", "head", "range", "batch", "history", "balances", "finalized"]
    .filter((part) => !missing.includes(part))
    .map((part) => ok(`node ${host} ${part}`, "good"))

const judgementOn = (what: string, findings: ReadonlyArray<Finding>) =>
  whatWorks(findings).find((judgement) => judgement.what === what)
const matches = "matches before their block"

describe("What will work", () => {
  it("names the socket that fails instead of calling it not configured", () => {
    const socket = fail("node a.example socket", "there is no such host (ENOTFOUND)", "check the address")
    assert.deepStrictEqual(judgementOn(matches, [...node("a.example"), socket]), {
      what: matches,
      works: "no",
      because: "there is no such host (ENOTFOUND): check the address",
    })
    const unset = warn("node socket", "not set", "set UPSTREAM_RPC_SOCKET_URL")
    assert.match(judgementOn(matches, [...node("a.example"), unset])?.because ?? "", /set UPSTREAM_RPC_SOCKET_URL/)
  })

  it("does not blame a node that cannot be reached for what another one lacks", () => {
    const away = fail("node a.example reachable", "nothing listens there (ECONNREFUSED)")
    const pending = warn("node b.example pending", "sends hashes only", "no matches")
    const socket = ok("node b.example socket", "sends new blocks")
    assert.match(
      judgementOn(matches, [away, ...node("b.example"), socket, pending])?.because ?? "",
      /sends hashes only/,
    )
    const unset = warn("node socket", "not set", "set UPSTREAM_RPC_SOCKET_URL")
    assert.match(judgementOn(matches, [away, ...node("b.example"), unset])?.because ?? "", /^not set/)
    assert.match(judgementOn(matches, [away, unset])?.because ?? "", /ECONNREFUSED/)
  })
})

describe("Errors of connections", () => {
  it("have words and their code, also those of several addresses and unknown ones", () => {
    const failed = (code: string | undefined, message: string) =>
      Object.assign(new AggregateError([new Error("one")], message), code === undefined ? {} : { code })
    assert.strictEqual(inWords(failed("ETIMEDOUT", "")), "it does not answer (ETIMEDOUT)")
    assert.strictEqual(inWords(failed("EPIPE", "write EPIPE")), "the connection was cut (EPIPE)")
    assert.strictEqual(inWords(failed("EMFILE", "")), "EMFILE")
    assert.strictEqual(
      inWords(failed("CERT_HAS_EXPIRED", "certificate has expired")),
      "certificate has expired (CERT_HAS_EXPIRED)",
    )
    assert.strictEqual(inWords(failed("EHOSTDOWN", "connect EHOSTDOWN 10.0.0.1:80")), "connect EHOSTDOWN 10.0.0.1:80")
    assert.strictEqual(inWords(failed(undefined, "")), "AggregateError")
  })
})
