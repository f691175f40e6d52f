import { assert, layer } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Random } from "effect"
import { decodeFunctionResult, encodeFunctionResult, parseAbi } from "viem"
import { balances as balancesWorker } from "#actors/balances.ts"
import { compareBalances } from "#src/balances/compare.ts"
import { BalancesCheck } from "#src/balances/contracts.ts"
import type { Difference } from "#src/balances/model.ts"
import { sampleWallets } from "#src/balances/sampleWallets.ts"
import { Jobs } from "#src/mesh/Jobs.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { checkBalances } from "#src/repair/verify/balances.ts"
import { Status } from "#src/status/Status.ts"
import { followedHistory } from "#test/ledger/support/followedHistory.ts"
import { ledger } from "#test/ledger/support/following.ts"
import { livedThrough } from "#test/ledger/support/livedThrough.ts"
import { command } from "#test/repair/support/command.ts"
import { eventually } from "#test/support/eventually.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { nodeBefore } from "#test/upstream/chain/nodes.ts"

/** A history that was followed; its follower has stopped. */
class Lived extends Context.Service<Lived, Effect.Success<ReturnType<typeof livedThrough>>>()("test/balances/Lived") {}

/** More wallets than the world has. */
const all = 1_000

const lived = Layer.effect(
  Lived,
  Effect.tap(livedThrough(71, { rate: 2 }), ({ following }) => Fiber.interrupt(following)),
)

const world = Layer.merge(lived, Status.layer).pipe(
  Layer.provideMerge(ledger),
  Layer.provideMerge(
    testFoundation({ "event-log.retention": "3650d", "balances.wallets": String(all) }, [], followedHistory(71)),
  ),
)

const compared = (count: number) => Effect.flatMap(Lived, ({ node }) => Effect.provide(compareBalances(count), node))

interface Row {
  readonly wallet: number
  readonly token: number
  readonly address: string
  readonly hash: string
  readonly shares: bigint
}

/** Some positions, with and without shares. */
const somePositions = Effect.gen(function* () {
  const { sql } = yield* Postgres
  const select = (condition: string) =>
    sql.unsafe<Row>(`
    select p.wallet, p.token, encode(w.address, 'hex') as address, encode(t.hash, 'hex') as hash, p.shares
    from position p join wallet w on w.id = p.wallet join token t on t.id = p.token
    where ${condition} order by p.changed_at desc, p.wallet, p.token limit 2`)
  return [...(yield* select("p.shares > 0")), ...(yield* select("p.shares = 0"))]
})

const add = ({ wallet, token }: Row, shares: number) =>
  Effect.flatMap(
    Postgres,
    ({ sql }) =>
      sql`update position set shares = shares + ${shares}::int where wallet = ${wallet} and token = ${token}`,
  )

const differenceOf = ({ address, hash, shares }: Row, added: number): Difference => ({
  wallet: `0x${address}`,
  token_id: BigInt(`0x${hash}`).toString(),
  ledger: String(shares + BigInt(added)),
  node: String(shares),
})

const byText = (a: Difference, b: Difference) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)

const abi = parseAbi(["function balanceOfBatch(address[] owners, uint256[] ids) view returns (uint256[])"])
const functionName = "balanceOfBatch"

/** An answer in which the first balance is one too large. */
const falsified = (body: string): string => {
  const parsed: unknown = JSON.parse(body)
  const falsify = (answer: { readonly result: `0x${string}` }) => {
    const [first = 0n, ...rest] = decodeFunctionResult({ abi, functionName, data: answer.result })
    return { ...answer, result: encodeFunctionResult({ abi, functionName, result: [first + 1n, ...rest] }) }
  }
  // A single call is not sent as a batch.
  return JSON.stringify(Array.isArray(parsed) ? parsed.map(falsify) : falsify(parsed as Parameters<typeof falsify>[0]))
}

layer(world, { excludeTestServices: true })("Comparing balances with the node", (it) => {
  it.effect("finds none that differ in a sound ledger, whatever happens after its block", () =>
    Effect.gen(function* () {
      const { simulation } = yield* Lived
      const { sql } = yield* Postgres
      const [row] = yield* sql<{ n: number; wallets: number; block: number }>`
        select sum(least(n, 250))::int as n, count(*)::int as wallets, (select block from chain_cursor) as block
        from (select count(*) as n from position group by wallet) held`
      assert(row !== undefined)
      const expected = { block: row.block, wallets: row.wallets, differences: [] }
      assert.isAbove(row.n, 100)
      const { compared: count, ...sound } = yield* compared(all)
      assert.deepStrictEqual(sound, expected)
      assert.isAbove(count, row.n)
      simulation.advance(20_000)
      assert.deepStrictEqual(yield* compared(all), { ...expected, compared: count })
    }),
  )

  it.effect("finds a balance without a position", () =>
    Effect.gen(function* () {
      const { sql } = yield* Postgres
      // Of a wallet with few positions, so that all of its absent ones are compared.
      const [lost] = yield* sql<Row>`
        select p.wallet, p.token, encode(w.address, 'hex') as address, encode(t.hash, 'hex') as hash, p.shares
        from position p join wallet w on w.id = p.wallet join token t on t.id = p.token
        where p.shares > 0 and exists (
          select 1 from position o join token u on u.id = o.token
          where o.wallet = p.wallet and u.condition = t.condition and u.id <> t.id)
        order by (select count(*) from position o where o.wallet = p.wallet), p.wallet, p.token limit 1`
      assert(lost !== undefined)
      const { wallet, token } = lost
      yield* sql`create table kept as select * from position where wallet = ${wallet} and token = ${token}`
      yield* sql`delete from position where wallet = ${wallet} and token = ${token}`
      const { differences } = yield* compared(all)
      yield* sql`insert into position select * from kept`
      yield* sql`drop table kept`
      assert.deepStrictEqual(differences, [differenceOf(lost, -Number(lost.shares))])
    }),
  )

  it.effect("samples by a seed, with the wallets that changed last among them", () =>
    Effect.gen(function* () {
      const { sql } = yield* Postgres
      const sample = (seed: string) => Random.withSeed(sampleWallets(sql, 10), seed)
      const [one, same, other] = [yield* sample("one"), yield* sample("one"), yield* sample("other")]
      assert.lengthOf(one, 10)
      assert.strictEqual(new Set(one).size, 10)
      assert.deepStrictEqual(same, one)
      assert.notDeepEqual(other, one)
      const rows = yield* sql<{ wallet: number }>`select distinct wallet from position_undo`
      const recent = new Set(rows.map(({ wallet }) => wallet))
      assert.isAtLeast(one.filter((wallet) => recent.has(wallet)).length, 5)
    }),
  )

  it.effect("reports every position that was changed, and the state in the status", () =>
    Effect.gen(function* () {
      const { node } = yield* Lived
      const broken = yield* somePositions
      for (const position of broken) yield* add(position, 5)
      const expected = broken.map((position) => differenceOf(position, 5)).toSorted(byText)
      const { differences } = yield* compared(all)
      assert.deepStrictEqual(differences.toSorted(byText), expected)
      const check = yield* Effect.provide(checkBalances(all), node)
      assert.isFalse(check.ok)
      assert.include(check.detail, `${broken.length} of `)
      assert.include(check.detail, `${expected[0]?.ledger} instead of ${expected[0]?.node}`)
      assert.lengthOf(check.differences ?? [], broken.length)

      const status = yield* Status
      const shown = Effect.map(status.sources, ({ balances }) => balances)
      assert.deepInclude(yield* shown, { state: "unknown", reason: "not compared yet", checked_seconds_ago: null })
      yield* Effect.gen(function* () {
        const jobs = yield* Jobs
        yield* jobs.enqueue(BalancesCheck, {})
        yield* eventually(
          "the status shows the difference",
          Effect.map(shown, ({ state }) => state === "different"),
        )
        const different = yield* shown
        assert.strictEqual(different.differences, broken.length)
        assert.deepStrictEqual(different.samples.toSorted(byText), expected)
        for (const position of broken) yield* add(position, -5)
        yield* jobs.enqueue(BalancesCheck, {})
        yield* eventually(
          "the status shows that all is well",
          Effect.map(shown, ({ state }) => state === "ok"),
        )
        const ok = yield* shown
        assert.deepInclude(ok, { reason: null, differences: 0, samples: [] })
        assert.isAbove(ok.wallets, 10)
        assert.isAbove(ok.compared, ok.wallets)
        const { sql } = yield* Postgres
        yield* sql`update source_status set at = now() - interval '1 hour' where source = 'balances'`
        yield* eventually(
          "an old comparison says nothing",
          Effect.map(shown, ({ state, reason }) => state === "unknown" && reason === "not compared recently"),
        )
      }).pipe(Effect.scoped, Effect.provide(balancesWorker), Effect.provide(node))
    }),
  )

  it.effect("does not report a difference that vanishes in a second comparison", () =>
    Effect.gen(function* () {
      const { url } = yield* Lived
      const asked: Array<string> = []
      let wrong = 1
      const fickle = yield* nodeBefore(url, (answer, request) => {
        if (!request.includes("eth_call")) return answer
        asked.push(request)
        return wrong-- > 0 ? { ...answer, body: falsified(answer.body) } : answer
      })
      const { differences } = yield* Effect.provide(compareBalances(5), fickle)
      assert.deepStrictEqual(differences, [])
      assert.lengthOf(asked, 2)
      wrong = 2
      const lasting = yield* Effect.provide(compareBalances(5), fickle)
      assert.isNotEmpty(lasting.differences)
    }),
  )

  it.effect("is part of presage verify with --node", () =>
    Effect.gen(function* () {
      const { url } = yield* Lived
      const env = { UPSTREAM_SIMULATOR_URL: url, LEDGER_REORG_DEPTH: "40" }
      const sound = yield* command(["verify", "--node", "--wallets", "1000", "--json"], env)
      assert.strictEqual(sound.code, 0, sound.out + sound.err)
      const last = JSON.parse(sound.out).checks.at(-1)
      assert.strictEqual(last.check, "balances")
      assert.match(last.detail, /^\d+ balances of \d+ wallets match the node at block \d+$/)
      const [position] = yield* somePositions
      assert(position !== undefined)
      yield* add(position, 7)
      const broken = yield* command(["verify", "--node", "--wallets", "1000", "--json"], env)
      assert.strictEqual(broken.code, 1)
      const check = JSON.parse(broken.out).checks.at(-1)
      assert.deepStrictEqual(
        [check.check, check.ok, check.differences],
        ["balances", false, [differenceOf(position, 7)]],
      )
      const without = yield* command(["verify"], env)
      assert.notInclude(without.out, "balances")
      yield* add(position, -7)
    }),
  )

  it.effect("says why nothing can be compared", () =>
    Effect.gen(function* () {
      const { simulation, node } = yield* Lived
      const { sql } = yield* Postgres
      const check = Effect.provide(checkBalances(3), node)
      const [cursor] = yield* sql<{ block: number }>`select block from chain_cursor`
      yield* sql`update chain_cursor set hash = '\\x00'`
      assert.match((yield* check).detail, /^not compared: block \d+ of the ledger is not the node's/)
      simulation.advance(600_000)
      const pruned = yield* check
      assert.isFalse(pruned.ok)
      assert.include(pruned.detail, `not compared: the node has no state of block ${cursor?.block}: missing trie node`)
      assert.include(pruned.detail, "archive nodes")
      yield* sql`update chain_cursor set caught_up_at = null`
      assert.strictEqual((yield* check).detail, "not compared: the ledger is still reading history")
    }),
  )
})
