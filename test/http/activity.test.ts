import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { exactAmount } from "#src/domain/amounts.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { Dice } from "#src/simulator/random.ts"
import { type Compared, comparedLists, type Json, listedSlugs } from "./support/comparedActivity.ts"
import { askWith, keyOf } from "./support/keys.ts"
import { livedServer, livedWorld } from "./support/livedWorld.ts"
import { trueActivity } from "./support/trueActivity.ts"

const server = livedServer(71)

const isSoak = process.env.PRESAGE_SOAK === "1"

const ask = Effect.fnUntraced(function* (key: string, path: string) {
  const { status, json, text } = yield* askWith(key, path)
  assert.strictEqual(status, 200, `${path}: ${text}`)
  return json as Json
})

/** Reads a list page by page, by cursor or offset. */
const everyPage = Effect.fnUntraced(function* (key: string, { path, key: rowsKey }: Compared, dice: Dice) {
  const rows: Array<Json> = []
  const byCursor = dice.chance(0.6)
  const limit = path.startsWith("/v3/fees") ? dice.between(isSoak ? 1 : 100, 300) : dice.between(1, isSoak ? 7 : 25)
  let next = ""
  for (;;) {
    const asked = `${path}&limit=${limit}${next}`
    const json = yield* ask(key, asked)
    assert.deepInclude(json, { limit, rows_returned: json[rowsKey].length, has_more: json.next_cursor !== null })
    assert.isNumber(json.elapsed_ms)
    rows.push(...json[rowsKey])
    if (!json.has_more) return rows
    assert.strictEqual(json[rowsKey].length, limit, asked)
    next = byCursor ? `&cursor=${json.next_cursor}` : `&offset=${rows.length}`
  }
})

layer(server, { excludeTestServices: true })("Lists of activity", (it) => {
  it.effect("have what the venue's books have, in order, whatever the list, the time and the page", () =>
    Effect.gen(function* () {
      const simulation = yield* livedWorld(71)
      const truth = trueActivity(simulation)
      const { key } = yield* keyOf("enterprise")
      const dice = new Dice(62)

      const lists = comparedLists(simulation, truth, yield* listedSlugs)

      /** Compares a list over a random range of time, in a random order. */
      const compare = Effect.fnUntraced(function* (list: Compared) {
        const all = list.expected
        const some = () => all[dice.between(0, all.length - 1)]?.at ?? 0
        const after = dice.chance(0.3) ? some() : undefined
        const before = dice.chance(0.3) ? some() : undefined
        const isAscending = dice.chance(0.3)
        const parameters = [
          ...(after === undefined ? [] : [`after=${after}`]),
          ...(before === undefined ? [] : [`before=${before}`]),
          ...(isAscending ? ["order=asc"] : []),
        ]
        if (after !== undefined && before !== undefined && after >= before) {
          const { status } = yield* askWith(key, `${list.path}?${parameters.join("&")}`)
          assert.strictEqual(status, 400)
          return 0
        }
        const within = all.filter(
          ({ at }) => (after === undefined || at >= after) && (before === undefined || at < before),
        )
        const path = `${list.path}${list.path.includes("?") ? "&" : "?"}${parameters.join("&")}`
        const rows = yield* everyPage(key, { ...list, path }, dice)
        const expected = (isAscending ? within.toReversed() : within).map(({ row }) => row)
        assert.deepStrictEqual(rows.map(list.shown), expected, path)
        return rows.length
      })

      const kindsOf = Map.groupBy(truth.acts, ({ wallet }) => wallet)
      const most = [...kindsOf].sort(([, a], [, b]) => b.length - a.length).map(([wallet]) => wallet)
      const byKind = ["split", "merge", "redemption", "conversion", "transfer_in"].map(
        (type) => truth.acts.find((act) => act.type === type)?.wallet ?? assert.fail(`nobody did a ${type}`),
      )
      const combos = truth.acts.find(({ type, market }) => type === "redemption" && market?.isCombo)
      const paying = truth.feesPaid.find(({ charged, paid }) => charged !== paid)
      const drawn = Array.from({ length: isSoak ? 400 : 4 }, () => most[dice.between(0, most.length - 1)] ?? "")
      const wallets = [
        ...most.slice(0, 12),
        ...byKind,
        ...(combos === undefined ? [] : [combos.wallet]),
        paying?.wallet ?? assert.fail("nobody was refunded a fee"),
        ...drawn,
      ]
      let rows = 0
      for (const wallet of new Set(wallets)) {
        for (const list of lists.ofWallet(wallet)) rows += yield* compare(list)
      }
      assert.isAbove(rows, 400)

      const receivers = new Set(truth.fees.map(({ receiver }) => receiver))
      assert.isAbove(receivers.size, 1)
      for (const receiver of [undefined, ...receivers]) {
        for (let round = 0; round < 2; round++) rows += yield* compare(lists.feesOf(receiver))
      }
      assert.isAbove(rows, 1_000)
    }),
  )

  it.effect("add up everything that matches, or the page, as their names say", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("enterprise")
      const { sql } = yield* Postgres
      const [busy] = yield* sql<{ wallet: string }>`
        select '0x' || encode(w.address, 'hex') as wallet from collateral_flow f join wallet w on w.id = f.wallet
        group by w.address having min(f.amount) < 0 order by count(*) desc limit 1`
      const path = `/v3/wallets/${busy?.wallet}/polyusd-flows`
      const whole = yield* ask(key, `${path}?limit=300`)
      assert.isAbove(whole.flows.length, 2)
      const total = (rows: ReadonlyArray<Json>, direction: string) =>
        rows.reduce((sum, row) => sum + (row.direction === direction ? BigInt(row.amount_raw) : 0n), 0n)
      const sumsOf = (rows: ReadonlyArray<Json>) => ({
        total_matching_rows: rows.length,
        total_deposited: exactAmount(total(rows, "deposit")),
        total_withdrawn: exactAmount(total(rows, "withdrawal")),
        net_deposited: exactAmount(total(rows, "deposit") - total(rows, "withdrawal")),
      })
      const middle = whole.flows[1].block_timestamp
      for (const [parameters, rows] of [
        ["limit=1", whole.flows],
        ["limit=1&offset=2", whole.flows],
        ["limit=1&kind=withdrawal", whole.flows.filter((row: Json) => row.direction === "withdrawal")],
        [`limit=1&after=${middle}`, whole.flows.filter((row: Json) => row.block_timestamp >= middle)],
        [`limit=1&before=${middle}`, whole.flows.filter((row: Json) => row.block_timestamp < middle)],
        ["limit=1&after=2000000000", []],
      ] as const) {
        assert.deepInclude(yield* ask(key, `${path}?${parameters}`), sumsOf(rows), parameters)
      }

      const [payer] = yield* sql<{ wallet: string }>`
        select '0x' || encode(w.address, 'hex') as wallet from fill f join wallet w on w.id = f.maker
        where f.fee > 0 group by w.address order by count(*) desc limit 1`
      const fees = yield* ask(key, `/v3/wallets/${payer?.wallet}/fees-paid?limit=3&offset=1`)
      const paid = fees.fees.reduce((sum: bigint, row: Json) => sum + BigInt(row.fee_paid_raw), 0n)
      assert.lengthOf(fees.fees, 3)
      assert.deepInclude(fees, {
        address: payer?.wallet,
        page_total_fees_paid: exactAmount(paid),
        page_total_fees_paid_raw: String(paid),
        after: "0",
        before: "9999999999",
      })
    }),
  )

  it.effect("under /v2/onchain have the same rows in another form, for any key", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("enterprise")
      const { key: free } = yield* keyOf("free")
      const { sql } = yield* Postgres
      const wallets = yield* sql<{ wallet: string }>`
        select '0x' || encode(w.address, 'hex') as wallet from (
          (select wallet from conversion limit 1) union all (select wallet from merge limit 1) union all
          (select wallet from redemption group by wallet order by count(*) desc limit 2)) f join wallet w on w.id = f.wallet`
      for (const { wallet } of wallets) {
        const shown = new Set(["split", "merge", "conversion"])
        const { data } = yield* ask(key, `/v3/wallets/${wallet}/activity?limit=300`)
        const acts = data.filter((row: Json) => shown.has(row.event_type))
        const { events, ...activity } = yield* ask(free, `/v2/onchain/wallets/${wallet}/activity`)
        const count = (type: string) => acts.filter((row: Json) => row.event_type === type).length
        assert.deepInclude(activity, {
          wallet,
          source: "onchain",
          count: acts.length,
          offset: 0,
          splits: count("split"),
          merges: count("merge"),
          conversions: count("conversion"),
        })
        const isConversion = (row: Json) => row.event_type === "conversion"
        assert.deepStrictEqual(
          events.map((row: Json) => [
            row.type,
            row.id,
            row.timestamp,
            row.amount,
            row.condition,
            row.neg_risk_market_id,
            row.index_set,
            row.slug,
          ]),
          acts.map((row: Json) => [
            row.event_type,
            row.id,
            Number(row.timestamp),
            Number(row.amount),
            isConversion(row) ? null : row.ref_id,
            isConversion(row) ? row.ref_id : null,
            isConversion(row) ? row.extra : null,
            row.slug,
          ]),
        )
        const whole = yield* ask(key, `/v3/wallets/${wallet}/redemptions?limit=300`)
        const twin = yield* ask(free, `/v2/onchain/wallets/${wallet}/redemptions?limit=2&offset=1`)
        const page = whole.data.slice(1, 3)
        assert.deepInclude(twin, {
          count: page.length,
          offset: 1,
          has_more: whole.data.length > 3,
          total_payout: exactAmount(page.reduce((sum: bigint, row: Json) => sum + BigInt(row.payout_e6), 0n)),
        })
        assert.deepStrictEqual(
          twin.redemptions,
          page.map((row: Json) => ({
            id: row.id,
            timestamp: Number(row.timestamp),
            condition: row.condition,
            index_sets: row.index_sets,
            payout: row.payout_usdc,
            market: row.market_title,
            slug: row.market_slug,
            image: row.market_image,
          })),
        )
      }
      assert.strictEqual((yield* askWith(free, "/v2/onchain/wallets/0x12/activity")).status, 400)
      const tooFar = yield* askWith(free, `/v2/onchain/wallets/${wallets[0]?.wallet}/redemptions?offset=10001`)
      assert.strictEqual(tooFar.status, 400)
      assert.match(tooFar.text, /lists under \/v3/)
    }),
  )

  it.effect("come as CSV and NDJSON, and say how to go on", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("enterprise")
      const { sql } = yield* Postgres
      const [most] = yield* sql<{ wallet: string }>`
        select '0x' || encode(w.address, 'hex') as wallet from redemption f join wallet w on w.id = f.wallet
        group by w.address order by count(*) desc limit 1`
      const path = `/v3/wallets/${most?.wallet}/redemptions`
      const whole = yield* ask(key, `${path}?limit=300`)
      assert.deepInclude(whole, { next_offset: null, order: "desc", source: "onchain", has_more: false })
      const first = yield* ask(key, `${path}?limit=2`)
      assert.strictEqual(first.next_offset, 2)
      const second = yield* ask(key, `${path}?limit=2&offset=${first.next_offset}`)
      assert.deepStrictEqual([...first.data, ...second.data], whole.data.slice(0, 4))
      assert.isNull((yield* ask(key, `${path}?limit=1&cursor=${first.next_cursor}`)).next_offset)

      const ndjson = yield* askWith(key, `${path}?limit=2`, { headers: { accept: "application/x-ndjson" } })
      const lines = ndjson.text.trim().split("\n")
      assert.deepStrictEqual(
        lines.map((line) => JSON.parse(line)),
        first.data,
      )
      for (const list of ["activity", "splits", "merges", "redemptions", "nrc", "fees-paid", "polyusd-flows"]) {
        const csv = yield* askWith(key, `/v3/wallets/${most?.wallet}/${list}?limit=2`, {
          headers: { accept: "text/csv" },
        })
        assert.match(String(csv.headers["content-type"]), /^text\/csv/)
        assert.match(String(csv.headers["x-data-age-ms"]), /^\d+$/)
        assert.match(csv.text.split("\r\n")[0] ?? "", /\bid,/)
      }
    }),
  )

  it.effect("page through several facts of one log without loss", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("enterprise")
      const { sql } = yield* Postgres
      const address = `0x${"5e1f".repeat(10)}`
      const [wallet] = yield* sql<{ id: number }>`
        insert into wallet (address) values (decode(${address.slice(2)}, 'hex')) returning id`
      const id = wallet?.id ?? 0
      // A split whose shares go to several wallets, itself among them, and a conversion, all of one log.
      yield* sql`
        insert into split (block, log_index, at, wallet, condition, amount)
        select block, 9999, at, ${id}, condition, 1 from split order by block limit 1`
      yield* sql`
        insert into conversion (block, log_index, at, wallet, nos, yeses, amount, received, paid, questions)
        select block, log_index, at, ${id}, '{}', '{}', 2, 0, 0, '{}' from split where wallet = ${id}`
      yield* sql`
        insert into transfer (block, log_index, at, sub, sender, receiver, token, shares)
        select s.block, s.log_index, s.at, n, ${id}, ${id}, 1, 10 + n from split s, generate_series(100, 103) n
        where s.wallet = ${id}`
      const path = `/v3/wallets/${address}/activity`
      for (const order of ["asc", "desc"]) {
        const whole = yield* ask(key, `${path}?order=${order}`)
        assert.lengthOf(whole.data, 10)
        const seen = new Set(whole.data.map((row: Json) => `${row.event_type} ${row.id}`))
        assert.strictEqual(seen.size, 10)
        for (const limit of [1, 3]) {
          const rows: Array<Json> = []
          let next = ""
          do {
            const page = yield* ask(key, `${path}?order=${order}&limit=${limit}${next}`)
            rows.push(...page.data)
            next = page.has_more ? `&cursor=${page.next_cursor}` : ""
          } while (next !== "")
          assert.deepStrictEqual(rows, whole.data)
        }
      }
      const conversions = yield* ask(key, `/v3/wallets/${address}/nrc`)
      assert.isEmpty(conversions.data)
    }),
  )

  it.effect("show rebates that were paid on the chain, also while the venue cannot be reached", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("enterprise")
      const { sql } = yield* Postgres
      const address = `0x${"7e6a".repeat(10)}`
      const [wallet] = yield* sql<{ id: number }>`
        insert into wallet (address) values (decode(${address.slice(2)}, 'hex')) returning id`
      const paid = (logIndex: number, at: string, purpose: number, amount: number) => sql`
        insert into maker_payment (block, log_index, at, wallet, purpose, amount)
        values (1, ${logIndex}, ${at}::timestamptz, ${wallet?.id ?? 0}, ${purpose}, ${amount})`
      yield* paid(1, "2026-03-01T00:00:00Z", 1, 1_250_000)
      yield* paid(2, "2026-03-01T23:59:59Z", 1, 1)
      yield* paid(3, "2026-03-01T12:00:00Z", 0, 5_000_000)
      yield* paid(4, "2026-03-02T00:00:00Z", 1, 7_000_000)
      const answer = yield* ask(key, `/v3/wallets/${address}/rebates?date=2026-03-01`)
      assert.deepInclude(answer, {
        paid_on_chain_usdc: 1.250001,
        payments_on_chain: 2,
        total_rebated_fees_usdc: null,
        provider_status: null,
      })
      assert.strictEqual(answer.provider_warning.reason, "unreachable")
      assert.isAbove(answer.as_of.block_number, 0)
      assert.isTrue(answer.coverage.complete)
      yield* sql`delete from maker_payment where wallet = ${wallet?.id ?? 0}`
    }),
  )

  it.effect("refuse what they cannot answer, and say what to do", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("enterprise")
      const nobody = `0x${"e".repeat(40)}`
      const { next_cursor: cursor } = yield* ask(key, "/v3/fees?limit=1")
      const refused = [
        [`/v3/wallets/${nobody}/activity?after=1794700800000`, /looks like milliseconds/],
        [`/v3/wallets/${nobody}/splits?before=soon`, /expected Unix seconds/],
        [`/v3/wallets/${nobody}/merges?order=up`, /"desc".*"asc"/],
        [`/v3/wallets/${nobody}/redemptions?offset=10001`, /use `cursor`/],
        [`/v3/wallets/${nobody}/nrc?offset=-1`, /offset/],
        [`/v3/wallets/${nobody}/polyusd-flows?kind=gift`, /"all".*"deposit".*"withdrawal"/],
        [`/v3/wallets/${nobody}/fees-paid?maker=1`, /maker/],
        ["/v3/wallets/0x12/activity", /address/],
        ["/v3/fees/0x12", /receiver/],
        [`/v3/fees/${nobody}?cursor=${cursor}`, /belongs to another query/],
        [`/v3/wallets/${nobody}/splits?cursor=${cursor}`, /belongs to another query/],
        ["/v3/fees?cursor=abc", /unchanged `next_cursor`/],
      ] as const
      for (const [path, message] of refused) {
        const answer = yield* askWith(key, path)
        assert.strictEqual(answer.status, 400, `${path}: ${answer.text}`)
        assert.match(answer.text.replaceAll("\\", ""), message, path)
      }
      const { key: free } = yield* keyOf("free")
      const lists = ["activity", "splits", "merges", "redemptions", "nrc", "fees-paid", "polyusd-flows"]
      for (const path of [...lists.map((list) => `/v3/wallets/${nobody}/${list}`), `/v3/fees/${nobody}`]) {
        const empty = yield* ask(key, path)
        assert.deepInclude(empty, { rows_returned: 0, has_more: false, next_cursor: null, limit: 100 }, path)
        assert.isAbove(empty.as_of.block_number, 0)
        assert.isTrue(empty.coverage.complete)
        assert.strictEqual((yield* askWith(free, path)).status, 402, path)
      }
      assert.strictEqual((yield* ask(key, "/v3/fees?limit=999")).limit, 300)
      for (const path of ["activity", "redemptions"]) {
        const empty = yield* ask(free, `/v2/onchain/wallets/${nobody}/${path}`)
        assert.deepInclude(empty, { wallet: nobody, count: 0, has_more: false })
      }
    }),
  )
})
