import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { encodeFunctionResult, type Hex, parseAbi } from "viem"
import { ApiServer } from "#http/Server.ts"
import { address as contracts } from "#src/simulator/chain/contracts.ts"
import type { Wallet, WalletKind } from "#src/simulator/world/model.ts"
import { walletsOf } from "#src/upstream/chain/wallets.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { runningVenue } from "#test/support/venue.ts"
import { fault, noFaults } from "#test/upstream/chain/nodes.ts"
import { askWith, keyOf } from "./support/keys.ts"
import { serving } from "./support/serving.ts"
import { type Change, venueBefore } from "./support/venueBefore.ts"

const makeVenue = Effect.gen(function* () {
  const running = yield* runningVenue(79)
  running.simulation.freeze()
  const before = yield* venueBefore(running.url)
  return { url: running.url, before, wallets: running.simulation.model.wallets }
})

class Venue extends Context.Service<Venue, Effect.Success<typeof makeVenue>>()("test/http/Venue") {}

const stores = Layer.unwrap(
  Effect.map(Venue, ({ before }) =>
    testFoundation({
      port: "0",
      host: "127.0.0.1",
      "upstream.simulator-url": before.url,
      "upstream.rpc.attempts": "1",
      "upstream.gamma.attempts": "1",
    }),
  ),
)

const world = ApiServer.pipe(
  Layer.provideMerge(serving),
  Layer.provideMerge(stores),
  Layer.provideMerge(Layer.effect(Venue, makeVenue)),
)

const resolve = Effect.fnUntraced(function* (query: string) {
  const { key } = yield* keyOf("free")
  return yield* askWith(key, `/v1/resolve/${encodeURIComponent(query)}`)
})

const resolved = (query: string) =>
  Effect.map(resolve(query), ({ status, json, text }) => {
    assert.strictEqual(status, 200, `${query}: ${text}`)
    return json
  })

const hasName = (wallet: Wallet): wallet is Wallet & { readonly name: string } => wallet.name !== undefined

/** The named wallets of a kind; tests use different ones, because answers are cached. */
const named = (kind: WalletKind) =>
  Effect.map(Venue, ({ wallets }) => wallets.filter((w) => w.kind === kind).filter(hasName))

const unnamedSafes = Effect.map(Venue, ({ wallets }) => wallets.filter((w) => w.kind === "safe" && !hasName(w)))

const walletTypes = { deposit: "deposit_wallet", safe: "safe", proxy: "proxy_wallet" } as const

/** The answer about a wallet whose key is known. */
const answerOf = ({ kind, address, owner, name }: Wallet) => {
  const none = { deposit_wallet: null, safe: null, proxy_wallet: null }
  const details = walletsOf(owner as Hex).map((wallet) => ({
    address: wallet.address,
    wallet_type: wallet.type,
    deployed: wallet.address === address,
    current: wallet.address === address,
  }))
  const type = kind === "eoa" ? "eoa" : walletTypes[kind]
  const wallets = kind === "eoa" ? none : { ...none, [type]: address }
  return { safe: address, eoa: owner, username: name ?? null, type, wallets, wallet_details: details }
}

layer(world, { excludeTestServices: true })("/v1/resolve", (it) => {
  it.effect("finds key, name and all wallets from the name, the key or the wallet", () =>
    Effect.gen(function* () {
      for (const kind of ["deposit", "safe"] as const) {
        for (const wallet of (yield* named(kind)).slice(0, 4)) {
          const expected = answerOf(wallet)
          assert.lengthOf(
            expected.wallet_details.filter(({ current }) => current),
            1,
          )
          for (const query of [wallet.name, wallet.address, wallet.owner]) {
            assert.deepStrictEqual(yield* resolved(query), expected, query)
          }
        }
      }
      const [wallet] = yield* named("deposit")
      const { name = "", address = "" } = wallet ?? {}
      const spellings = [
        `@${name}`,
        name.toUpperCase(),
        `@${name.toUpperCase()}`,
        address.toUpperCase().replace("X", "x"),
      ]
      for (const query of [...spellings, `${address}-1794700800000`]) {
        assert.strictEqual((yield* resolved(query)).safe, address, query)
      }
    }),
  )

  it.effect("finds proxy wallets from their key, and says that the key cannot be found from the wallet", () =>
    Effect.gen(function* () {
      const [wallet] = yield* named("proxy")
      if (wallet === undefined) return assert.fail("no proxy wallet has a name")
      const { address, owner, name } = wallet
      assert.deepStrictEqual(yield* resolved(owner), answerOf(wallet))
      for (const query of [address, name]) {
        const { hint, ...answer } = yield* resolved(query)
        assert.include(hint, "does not record which key owns a proxy wallet")
        assert.deepStrictEqual(answer, {
          ...answerOf(wallet),
          eoa: null,
          wallet_details: [{ address, wallet_type: "proxy_wallet", deployed: true, current: true }],
        })
      }
    }),
  )

  it.effect("shows keys that trade by themselves, keys that never traded, and other contracts", () =>
    Effect.gen(function* () {
      const [trader] = yield* named("eoa")
      if (trader === undefined) return assert.fail("no key has a name")
      const { hint, ...answer } = yield* resolved(trader.address)
      assert.deepStrictEqual(answer, answerOf(trader))
      assert.include(hint, "may also be a wallet that is not deployed yet")

      const fresh = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"
      const unknown = yield* resolved(fresh)
      assert.deepInclude(unknown, { safe: fresh, eoa: fresh, type: "eoa", username: null })
      assert.deepStrictEqual(
        unknown.wallet_details.map(({ address, deployed, current }: Record<string, unknown>) => [
          address,
          deployed,
          current,
        ]),
        walletsOf(fresh).map(({ address }) => [address, false, false]),
      )

      const { hint: reason, ...contract } = yield* resolved(contracts.ctf2)
      assert.deepStrictEqual(contract, {
        safe: contracts.ctf2,
        eoa: null,
        username: null,
        type: "contract",
        wallets: { deposit_wallet: null, safe: null, proxy_wallet: null },
        wallet_details: [],
      })
      assert.include(reason, "not a wallet of the venue")
    }),
  )

  it.effect("prefers a deployed deposit wallet to the Safe of the same key", () =>
    Effect.gen(function* () {
      const { before } = yield* Venue
      const wallet = (yield* named("safe")).at(-1)
      if (wallet === undefined) return assert.fail("no Safe has a name")
      const deposit = walletsOf(wallet.owner as Hex)[1]?.address
      const deployed: Change = (answer, _, asked) => withResult(answer, asked, "eth_getCode", deposit ?? "", "0x6080")
      const answer = yield* before.whileChanged(deployed, resolved(wallet.address))
      assert.deepInclude(answer, { safe: deposit, type: "deposit_wallet", eoa: wallet.owner, username: wallet.name })
      assert.deepStrictEqual(answer.wallets, { deposit_wallet: deposit, safe: wallet.address, proxy_wallet: null })
      assert.deepStrictEqual(
        answer.wallet_details.map(({ deployed, current }: Record<string, unknown>) => [deployed, current]),
        [
          [false, false],
          [true, true],
          [true, false],
          [false, false],
        ],
      )
    }),
  )

  it.effect("does not believe a contract about its owner unless the address proves it", () =>
    Effect.gen(function* () {
      const { before } = yield* Venue
      const [first, second] = yield* unnamedSafes
      if (first === undefined || second === undefined) return assert.fail("too few Safes have no name")
      const claiming = (...owners: ReadonlyArray<string>): Change => {
        const abi = parseAbi(["function getOwners() view returns (address[])"])
        const result = encodeFunctionResult({ abi, result: owners as ReadonlyArray<Hex> })
        return (answer, _, asked) => withResult(answer, asked, "eth_call", "", result)
      }
      for (const [wallet, owners] of [
        [first, [second.owner]],
        [second, [first.owner, first.address]],
      ] as const) {
        const { hint, ...answer } = yield* before.whileChanged(claiming(...owners), resolved(wallet.address))
        assert.deepInclude(answer, { safe: wallet.address, eoa: null, type: "contract", wallet_details: [] })
        assert.include(hint, "not the wallet that the venue deploys for the owner it names")
      }
      const [third] = (yield* unnamedSafes).slice(2)
      if (third === undefined) return assert.fail("too few Safes have no name")
      const joint = yield* before.whileChanged(claiming(second.owner, third.owner), resolved(third.address))
      assert.deepStrictEqual(joint, answerOf(third))
    }),
  )

  it.effect("lists the users who share a name, and prefers an exact match", () =>
    Effect.gen(function* () {
      const { before } = yield* Venue
      const [first, second] = (yield* named("deposit")).slice(-2)
      if (first === undefined || second === undefined) return assert.fail("too few deposit wallets have names")
      const searched: Change = (answer, path) => {
        if (!path.includes("/public-search")) return answer
        const profiles = [
          null,
          { name: "twin", displayUsernamePublic: true, proxyWallet: "" },
          ...["Twin", "TWIN"].map((name, i) => ({
            name,
            displayUsernamePublic: true,
            proxyWallet: [first, second][i]?.address,
          })),
        ]
        return JSON.stringify({ ...JSON.parse(answer), profiles: path.includes("page=1") ? profiles : [] })
      }
      const [shared, exact] = yield* before.whileChanged(searched, Effect.all([resolve("twin"), resolve("@TWIN")]))
      assert.strictEqual(shared.status, 409)
      assert.include(shared.json.hint, `Twin is ${first.address}, TWIN is ${second.address}`)
      assert.strictEqual(exact.status, 200, exact.text)
      assert.deepInclude(exact.json, { safe: second.address, username: "TWIN" })
    }),
  )

  it.effect("answers 404 to unknown names with similar ones, and 400 to what is neither name nor address", () =>
    Effect.gen(function* () {
      const [wallet] = yield* named("safe")
      const unknown = yield* resolve("nobody-has-this-name")
      assert.strictEqual(unknown.status, 404)
      assert.include(unknown.json.error, "nobody-has-this-name")
      assert.include(unknown.json.hint, "address")
      const word = wallet?.name.replace(/\d+$/, "") ?? ""
      const part = yield* resolve(word)
      assert.strictEqual(part.status, 404)
      assert.match(part.json.hint, new RegExp(`^Similar names: ${word}\\d+`))
      const bad = [
        "0x1234".padEnd(41, "0"),
        "0x".padEnd(66, "a"),
        "a\nb",
        "@",
        "...",
        " ",
        "n".repeat(65),
        "n".repeat(5000),
      ]
      for (const query of bad) {
        const { status, json } = yield* resolve(query)
        assert.strictEqual(status, 400, query)
        assert.strictEqual(json.param, "query", query)
        assert.include(json.error, "user name", query)
      }
    }),
  )

  it.effect("works with nodes that refuse large batches", () =>
    Effect.gen(function* () {
      const { url } = yield* Venue
      const [, , , wallet] = yield* unnamedSafes
      if (wallet === undefined) return assert.fail("too few Safes have no name")
      yield* fault(url, { upstream: "rpc", channel: "http", kind: "drpc-free" })
      assert.deepStrictEqual(yield* resolved(wallet.address), answerOf(wallet))
      yield* noFaults(url)
    }),
  )

  it.effect("is cached, and answers 503 while the node or the venue is down", () =>
    Effect.gen(function* () {
      const { url } = yield* Venue
      const [cached] = yield* named("safe")
      const expected = yield* resolved(cached?.address ?? "")
      for (const [i, kind] of ["down", "html", "server_error"].entries()) {
        const [first, second] = [`0x${`a${i}`.repeat(20)}`, `0x${`b${i}`.repeat(20)}`]
        for (const [upstream, query, words] of [
          ["gamma", `somebody-${i}`, "profile service"],
          ["gamma", first, "profile service"],
          ["rpc", second, "Polygon node"],
        ] as const) {
          yield* fault(url, { upstream, channel: "http", kind })
          const { status, json, text } = yield* resolve(query)
          assert.strictEqual(status, 503, `${kind}: ${text}`)
          assert.include(json.error, words, kind)
          assert.deepStrictEqual(yield* resolved(cached?.address ?? ""), expected)
          yield* noFaults(url)
        }
      }
    }),
  )

  it.effect("requires a key", () =>
    Effect.gen(function* () {
      const { status } = yield* askWith("", "/v1/resolve/someone")
      assert.strictEqual(status, 401)
    }),
  )
})

interface Call {
  readonly id: number
  readonly method: string
  readonly params: ReadonlyArray<unknown>
}

/** The answer of a node with another result for calls of a method with an address; an empty one stands for all. */
function withResult(answer: string, asked: string, method: string, address: string, result: string): string {
  if (!asked.includes(method)) return answer
  const calls: ReadonlyArray<Call> = [JSON.parse(asked)].flat()
  const answers: ReadonlyArray<{ readonly id: number }> = [JSON.parse(answer)].flat()
  const isMeant = ({ id, method: called, params }: Call, wanted: number) =>
    id === wanted && called === method && (address === "" || params[0] === address)
  const changed = answers.map((each) =>
    calls.some((call) => isMeant(call, each.id)) ? { jsonrpc: "2.0", id: each.id, result } : each,
  )
  return JSON.stringify(changed.length === 1 ? changed[0] : changed)
}
