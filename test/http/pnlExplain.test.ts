import { assert, layer } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { dropFactsBefore } from "#src/history/retention/RetentionStore.ts"
import * as BaseStore from "#src/ledger/positions/BaseStore.ts"
import { recompute } from "#src/ledger/positions/recompute.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { Dice } from "#src/simulator/random.ts"
import { type Booked, bookedPositions } from "#test/wallets/support/books.ts"
import { allFacts } from "#test/webhooks/support/world/facts.ts"
import { askWith, keyOf } from "./support/keys.ts"
import { livedServer, livedWorld } from "./support/livedWorld.ts"

const server = livedServer(71)

const isSoak = process.env.PRESAGE_SOAK === "1"
// Among its few facts of each kind are a conversion and a transfer.
const seed = 71

interface Line {
  readonly id: string | null
  readonly kind: string
  readonly token_id: string
  readonly realized_pnl: number
  readonly shares_before: number
  readonly shares_after: number
  readonly cost_before: number
  readonly cost_after: number
  readonly realized_before: number
  readonly realized_after: number
  readonly timestamp: string
  readonly basis: string
}

/** All pages. */
const explained = Effect.fnUntraced(function* (key: string, wallet: string, query: string, limit: number) {
  const lines: Array<Line> = []
  let next = ""
  for (;;) {
    const path = `/v3/wallets/${wallet}/pnl/explain?${query}&limit=${limit}${next}`
    const { status, json, text } = yield* askWith(key, path)
    assert.strictEqual(status, 200, `${path}: ${text}`)
    assert.isAtMost(json.lines.length, limit)
    assert.strictEqual(json.rows_returned, json.lines.length)
    lines.push(...json.lines)
    if (!json.has_more) return { lines, positions: json.positions }
    assert.strictEqual(json.lines.length, limit)
    next = `&cursor=${json.next_cursor}`
  }
})

const usd = (amount: number) => amount / 1e6

/** Asserts that the lines lead from nothing, or from their first line, to the position. */
const assertLeadsTo = (lines: ReadonlyArray<Line>, { shares, cost, realized }: Booked, when: string) => {
  lines.forEach((line, i) => {
    const before = lines[i - 1]
    assert.deepStrictEqual(
      [line.shares_before, line.cost_before, line.realized_before],
      before === undefined ? [0, 0, 0] : [before.shares_after, before.cost_after, before.realized_after],
      `${when}, line ${i}`,
    )
  })
  const last = lines.at(-1)
  assert.deepStrictEqual(
    [last?.shares_after, last?.cost_after, last?.realized_after],
    [usd(shares), usd(cost), usd(realized)],
    when,
  )
}

layer(server, { excludeTestServices: true })("Explanations of a position", (it) => {
  it.effect("list every fact that made it, page by page, and end with the position", () =>
    Effect.gen(function* () {
      const simulation = yield* livedWorld(seed)
      const { key } = yield* keyOf("enterprise")
      const dice = new Dice(seed)
      const books = [...(yield* bookedPositions(simulation)).values()].flat()
      const { fills, conversions, transfers } = yield* allFacts(simulation.head)
      const wasConverted = new Set(
        conversions.flatMap(({ wallet, yeses }) => yeses.map((token) => `${wallet} ${token}`)),
      )
      const wasReceived = new Set(transfers.map(({ receiver, token }) => `${receiver} ${token}`))
      const keyOfPosition = ({ wallet, token }: Booked) => `${wallet} ${token.id}`
      const most = isSoak ? 1_000 : 5
      const received = [wasConverted, wasReceived].flatMap((those) => {
        const found = books.filter((one) => those.has(keyOfPosition(one)))
        assert.isNotEmpty(found)
        return found.slice(0, most)
      })
      const some = Array.from(
        { length: isSoak ? 2_000 : 12 },
        () => books[dice.between(0, books.length - 1)] ?? assert.fail("no position"),
      )
      const busiest = books.toSorted((a, b) => b.gains.length - a.gains.length).slice(0, 5)
      const kinds = new Set<string>()
      for (const position of [...busiest, ...received, ...some]) {
        const { wallet, token, gains } = position
        const when = `${wallet} ${token.id}`
        const limit = dice.chance(0.5) ? 1_000 : dice.between(1, 7)
        const { lines, positions } = yield* explained(key, wallet, `token_id=${token.id}`, limit)
        assertLeadsTo(lines, position, when)
        for (const { kind } of lines) kinds.add(kind)
        const realized = lines.filter(({ realized_pnl }) => realized_pnl !== 0)
        assert.deepStrictEqual(
          realized.map(({ realized_pnl, timestamp }) => [Number(timestamp), realized_pnl]),
          gains.filter(({ amount }) => amount !== 0n).map(({ at, amount }) => [at, usd(Number(amount))]),
          when,
        )
        const own = fills.filter((fill) => fill.maker === wallet && fill.token === token.id)
        assert.deepStrictEqual(
          lines.filter(({ kind }) => kind === "fill").map(({ id }) => id),
          own.map(({ tx, log_index }) => `${tx}_${log_index}`),
          when,
        )
        assert.deepStrictEqual(positions, [
          {
            token_id: token.id,
            outcome_index: token.outcome,
            size: usd(position.shares),
            cost: usd(position.cost),
            realized_pnl: usd(position.realized),
            basis: "known",
          },
        ])
      }
      for (const kind of ["fill", "split", "merge", "conversion", "transfer", "redemption", "resolution"])
        assert.isTrue(kinds.has(kind), `no ${kind} among ${[...kinds]}`)
    }),
  )

  it.effect("of a condition have the positions in all its tokens", () =>
    Effect.gen(function* () {
      const { sql } = yield* Postgres
      const { key } = yield* keyOf("enterprise")
      const rows = yield* sql<{ wallet: string; condition: string }>`
        select '0x' || encode(w.address, 'hex') as wallet, '0x' || encode(c.hash, 'hex') as condition
        from position p join token t on t.id = p.token join condition c on c.id = t.condition join wallet w on w.id = p.wallet
        group by 1, 2 having count(*) = 2 order by 1, 2 limit ${isSoak ? 12 : 4}`
      assert.strictEqual(rows.length, isSoak ? 12 : 4)
      for (const { wallet, condition } of rows) {
        const { lines, positions } = yield* explained(key, wallet, `condition_id=${condition}`, 1_000)
        for (const limit of [1, 2, 3])
          assert.deepStrictEqual((yield* explained(key, wallet, `condition_id=${condition}`, limit)).lines, lines)
        for (const position of positions) {
          const own = lines.filter(({ token_id }) => token_id === position.token_id)
          const alone = yield* explained(key, wallet, `token_id=${position.token_id}`, 1_000)
          assert.deepStrictEqual(own, alone.lines)
          const last = own.at(-1)
          assert.deepStrictEqual(
            [last?.shares_after, last?.cost_after, last?.realized_after],
            [position.size, position.cost, position.realized_pnl],
          )
        }
      }
    }),
  )

  it.effect("refuse what they cannot answer, and a cursor from before a reorganisation", () =>
    Effect.gen(function* () {
      const { sql } = yield* Postgres
      const { key } = yield* keyOf("enterprise")
      const [busy] = yield* sql<{ wallet: string; token: string }>`
        select '0x' || encode(w.address, 'hex') as wallet, encode(t.hash, 'hex') as token
        from fill f join wallet w on w.id = f.maker join token t on t.id = f.token
        group by 1, 2 order by count(*) desc, 1, 2 limit 1`
      const token = BigInt(`0x${busy?.token}`)
      const path = `/v3/wallets/${busy?.wallet}/pnl/explain`
      const { json } = yield* askWith(key, `${path}?token_id=${token}&limit=2`)
      const cursor: string = json.next_cursor
      const refused = [
        [path, 400, /token_id.*condition_id/],
        [`${path}?token_id=x`, 400, /whole number/],
        [`${path}?token_id=1`, 404, /token/],
        [`${path}?condition_id=0x${"1".repeat(64)}`, 404, /condition/],
        [`${path}?token_id=${token}&offset=1`, 400, /offset/],
        [`${path}?token_id=${token}&cursor=abc`, 400, /unchanged/],
        [`/v3/wallets/0x${"e".repeat(40)}/pnl/explain?token_id=${token}&cursor=${cursor}`, 400, /another query/],
      ] as const
      for (const [asked, status, message] of refused) {
        const answer = yield* askWith(key, asked)
        assert.strictEqual(answer.status, status, `${asked}: ${answer.text}`)
        assert.match(answer.text.replaceAll("\\", ""), message, asked)
      }
      const nobody = yield* askWith(key, `/v3/wallets/0x${"e".repeat(40)}/pnl/explain?token_id=${token}`)
      assert.deepInclude(nobody.json, { lines: [], has_more: false })
      assert.strictEqual((yield* askWith(key, `${path}?token_id=${token}&limit=5000`)).json.limit, 1_000)
      const csv = yield* askWith(key, `${path}?token_id=${token}&limit=2`, { headers: { accept: "text/csv" } })
      assert.match(csv.text, /^id,kind,direction,token_id/)
      assert.isString(csv.headers["x-next-cursor"])

      yield* sql`update block set hash = sha256(hash) where number = ${json.lines.at(-1).block_number}`
      const changed = yield* askWith(key, `${path}?token_id=${token}&limit=2&cursor=${cursor}`)
      assert.strictEqual(changed.status, 400)
      assert.match(changed.json.error, /reorganised/)
    }),
  )

  it.effect("begin with the position as dropped facts had left it", () =>
    Effect.gen(function* () {
      const { sql, exports } = yield* Postgres
      const { key } = yield* keyOf("enterprise")
      const [middle] = yield* sql<{ block: number; at: Date; first: number }>`
        select block, to_timestamp(at) as at, (select started_from from chain_cursor) as first from fill
        order by block offset (select count(*) / 2 from fill) limit 1`
      const { block, at, first } = middle ?? assert.fail("no fills")
      const { holdings, steps } = yield* recompute(exports, { first, last: block - 1, undoableFrom: block })
      yield* Stream.runDrain(steps)
      yield* BaseStore.replace(sql, holdings.all())
      yield* dropFactsBefore(sql, { number: block, at: at.getTime() }, 0)
      yield* sql`delete from fill where block < ${block}`
      const rows = yield* sql<{ wallet: string; token: string; shares: bigint; cost: bigint; realized: bigint }>`
        select '0x' || encode(w.address, 'hex') as wallet, encode(t.hash, 'hex') as token, p.shares, p.cost, p.realized
        from position p join position_base b on b.wallet = p.wallet and b.token = p.token
        join wallet w on w.id = p.wallet join token t on t.id = p.token
        where b.shares <> 0 and exists (select from resolution r where r.condition = t.condition and r.block < ${block})
          or p.changed_at > b.changed_at
        order by (p.changed_at > b.changed_at) desc, 1, 2`
      assert.isAbove(rows.length, 50)
      for (const row of [...rows.slice(0, isSoak ? 60 : 15), ...rows.slice(isSoak ? -20 : -5)]) {
        const token = BigInt(`0x${row.token}`)
        const { lines } = yield* explained(key, row.wallet, `token_id=${token}`, 3)
        assert.strictEqual(lines[0]?.kind, "carried_forward")
        const last = lines.at(-1)
        assert.deepStrictEqual(
          [last?.shares_after, last?.cost_after, last?.realized_after],
          [row.shares, row.cost, row.realized].map((amount) => usd(Number(amount))),
          `${row.wallet} ${token}`,
        )
      }
    }),
  )
})
