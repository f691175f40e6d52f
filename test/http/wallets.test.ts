import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { ClosedPosition, OnchainPosition, WalletPosition } from "#http/positions/shapes.ts"
import { bytesOfToken } from "#src/domain/TokenId.ts"
import { bytesOfWallet } from "#src/domain/Wallet.ts"
import { refreshLeaderboards } from "#src/leaderboards/refresh.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { type OnchainPage, onchainPositionStore, type PositionCursor } from "#src/positions/OnchainPositionStore.ts"
import { type Expected, expectedPositions } from "#test/positions/support/expected.ts"
import { closedRow, commonRow, usd } from "#test/positions/support/expectedRows.ts"
import { assertIncludes } from "#test/support/assertIncludes.ts"
import { askWith, keyOf } from "./support/keys.ts"
import { livedServer, livedWorld } from "./support/livedWorld.ts"

const isSoak = process.env.PRESAGE_SOAK === "1"

type ClosedRow = typeof ClosedPosition.Encoded
type WalletRow = typeof WalletPosition.Encoded
type OnchainRow = typeof OnchainPosition.Encoded

const sorts: Record<string, (row: ClosedRow) => number | string> = {
  REALIZEDPNL: (row) => row.realized_pnl ?? 0,
  AVGPRICE: (row) => row.avg_price ?? 0,
  PRICE: (row) => row.cur_price,
  TITLE: (row) => row.title ?? "",
  TIMESTAMP: (row) => row.timestamp,
}

const byAsset = (rows: ReadonlyArray<Pick<ClosedRow, "asset">>) => rows.toSorted((a, b) => (a.asset < b.asset ? -1 : 1))

/** All pages of a list with offsets. */
const everyPage = Effect.fnUntraced(function* (key: string, path: string, limit: number) {
  const rows: Array<ClosedRow> = []
  for (;;) {
    const { status, json, text } = yield* askWith(key, `${path}&limit=${limit}&offset=${rows.length}`)
    assert.strictEqual(status, 200, text)
    assert.deepInclude(json, { limit, offset: rows.length, count: json.positions.length })
    rows.push(...json.positions)
    if (json.count < limit) return rows
  }
})

/** All pages of a list with keys. */
const everyKey = Effect.fnUntraced(function* (key: string, path: string, limit: number) {
  const rows: Array<OnchainRow> = []
  for (let at = ""; ; ) {
    const { status, json, text } = yield* askWith(key, `${path}&limit=${limit}${at}`)
    assert.strictEqual(status, 200, text)
    assert.strictEqual(json.count, json.positions.length)
    rows.push(...json.positions)
    if (!json.pagination.has_more) return rows
    at = `&pagination_key=${json.pagination.pagination_key}`
  }
})

const assertWallet = Effect.fnUntraced(function* (key: string, wallet: string, truth: ReadonlyArray<Expected>) {
  const path = `/v2/wallets/${wallet}/positions/onchain`
  const { json } = yield* askWith(key, path)
  const open = truth.filter(({ isOpen }) => isOpen).length
  const sum = (of: (each: Expected) => number) => truth.reduce((total, each) => total + of(each), 0)
  const sums = {
    count: truth.length,
    open_count: open,
    closed_count: truth.length - open,
    total_realized_pnl: usd(sum(({ realized }) => realized)),
    total_unrealized_pnl: usd(sum(({ unrealized }) => unrealized)),
    total_pnl: usd(sum(({ realized, unrealized }) => realized + unrealized)),
    positions_with_pnl: truth.filter(({ realized, unrealized }) => realized + unrealized !== 0).length,
  }
  assert.deepInclude(json, {
    wallet,
    source: "onchain",
    ...sums,
    filtered: false,
    applied_filters: {},
    has_more: false,
  })
  const found = new Map<string, WalletRow>(json.positions.map((row: WalletRow) => [row.token_id, row]))
  assert.deepStrictEqual([...found.keys()].toSorted(), truth.map(({ token }) => token.id).toSorted())
  for (const expected of truth) {
    const row = found.get(expected.token.id)
    const names = { slug: expected.names?.slug ?? null, tag_slugs: expected.tags }
    assertIncludes(row, { ...commonRow(expected), ...names }, expected.token.id)
  }
  const half = Math.ceil(truth.length / 2)
  const pages = [
    yield* askWith(key, `${path}?limit=${half}`),
    yield* askWith(key, `${path}?limit=${half}&offset=${half}`),
  ]
  assert.deepStrictEqual(
    pages.flatMap((page) => page.json.positions),
    json.positions,
  )
  for (const page of pages) assert.deepInclude(page.json, sums)
  const backwards = (yield* askWith(key, `${path}?order=asc`)).json.positions
  assert.deepStrictEqual(backwards.toReversed(), json.positions)

  const filters: ReadonlyArray<readonly [string, Record<string, unknown>, (row: WalletRow) => boolean]> = [
    ["status=open", { status: "open" }, ({ status }) => status === "open"],
    [
      "status=closed&min_size=0.07",
      { status: "closed", min_size: 0.07 },
      (row) => row.status !== "open" && row.size >= 0.07,
    ],
    ["tag_slug=crypto", { tag_slug: "crypto" }, ({ tag_slugs }) => tag_slugs.includes("crypto")],
  ]
  for (const [query, applied_filters, fits] of filters) {
    const answer = (yield* askWith(key, `${path}?${query}`)).json
    assert.deepInclude(answer, { filtered: true, applied_filters })
    assert.deepStrictEqual(answer.positions, json.positions.filter(fits), query)
    assert.strictEqual(answer.count, answer.positions.length)
  }
})

/** Only totals without a filter are those that the boards keep. */
const assertTotalsFromBoards = Effect.fnUntraced(function* (key: string, wallet: string) {
  const { sql } = yield* Postgres
  yield* sql`
    update leaderboard_standing set realized = realized + 7000000
    where wallet = (select id from wallet where address = ${bytesOfWallet(wallet)})`
  const { json } = yield* askWith(key, `/v2/wallets/${wallet}/positions/onchain`)
  const filtered = (yield* askWith(key, `/v2/wallets/${wallet}/positions/onchain?min_size=0`)).json
  assert.strictEqual(json.count, filtered.count)
  assert.closeTo(json.total_realized_pnl - filtered.total_realized_pnl, 7, 1e-6)
})

const nameOf = ({ wallet, token_id }: Pick<OnchainRow, "wallet" | "token_id">) => `${wallet} ${token_id}`

const assertEverybody = Effect.fnUntraced(function* (key: string, all: ReadonlyArray<Expected>) {
  const path = "/v2/onchain/positions?"
  const rows = yield* everyKey(key, path, 500)
  assert.deepStrictEqual(
    rows.map(nameOf).toSorted(),
    all.map(({ wallet, token }) => nameOf({ wallet, token_id: token.id })).toSorted(),
  )
  const found = new Map(rows.map((row) => [nameOf(row), row]))
  for (const expected of all) {
    const row = found.get(nameOf({ wallet: expected.wallet, token_id: expected.token.id }))
    const { payouts } = expected.token.market
    const winner = payouts === undefined || (payouts[0] > 0 && payouts[1] > 0) ? null : payouts[0] > 0 ? 0 : 1
    const wanted = {
      ...commonRow(expected),
      market_slug: expected.names?.slug ?? null,
      outcome_index: expected.token.outcome,
      winning_outcome_index: winner,
      won: winner === null ? null : winner === expected.token.outcome,
      initial_value: expected.isOpen ? usd(expected.cost) : null,
      redeemable: expected.isResolved && expected.shares > 0 && (expected.price ?? 0) > 0,
      last_activity: expected.changedAt,
    }
    assertIncludes(row, wanted, `${expected.wallet} ${expected.token.id}`)
  }
  assert.deepStrictEqual((yield* everyKey(key, `${path}order=asc`, 499)).toReversed(), rows)
  const worthless = rows.filter((row) => row.resolved_at !== null && row.size > 0 && row.current_price === 0)
  assert.isNotEmpty(worthless)
  for (const row of worthless) assert.deepInclude(row, { redeemable: false, status: "closed" })

  const some =
    rows.find(({ market_slug, status }) => market_slug !== null && status === "redeemable") ??
    assert.fail("nothing is redeemable")
  const ofTag = new Set(all.filter(({ tags }) => tags.includes("crypto")).map(({ token }) => token.id))
  const filters: ReadonlyArray<readonly [string, (row: OnchainRow) => boolean]> = [
    [`wallet=${some.wallet}`, ({ wallet }) => wallet === some.wallet],
    [`wallet=${some.wallet}&tag_slug=crypto`, ({ wallet, token_id }) => wallet === some.wallet && ofTag.has(token_id)],
    [`token_id=${some.token_id}`, ({ token_id }) => token_id === some.token_id],
    [
      `condition_id=${some.condition_id}&status=redeemable`,
      (row) => row.condition_id === some.condition_id && row.redeemable,
    ],
    ["status=Redeemable", ({ redeemable }) => redeemable],
    [`market_slug=${some.market_slug}`, ({ market_slug }) => market_slug === some.market_slug],
    ["tag_slug=crypto", ({ token_id }) => ofTag.has(token_id)],
    [
      "tag_slug=crypto&status=open&min_size=100",
      (row) => ofTag.has(row.token_id) && row.status === "open" && row.size >= 100,
    ],
    ["status=open&order=desc", ({ status }) => status === "open"],
    ["status=closed", ({ status }) => status !== "open"],
    ["status=redeemed", ({ status }) => status === "redeemed"],
  ]
  for (const [query, fits] of filters) {
    const wanted = rows.filter(fits)
    assert.isNotEmpty(wanted, query)
    assert.deepStrictEqual(yield* everyKey(key, `${path}${query}`, Math.ceil(wanted.length / 3)), wanted, query)
  }
  return rows
})

/** All positions are found, however few each page examines. */
const assertShortPages = Effect.fnUntraced(function* (rows: ReadonlyArray<OnchainRow>) {
  const read = onchainPositionStore(yield* Postgres, 40)
  const wanted = rows.filter(({ status, size }) => status === "open" && size >= 500)
  const found: Array<string> = []
  let [pages, after]: [number, PositionCursor | undefined] = [0, undefined]
  do {
    const filter = { status: "open", minSize: 500_000_000n } as const
    const page: OnchainPage = yield* read({ wallet: undefined, filter, limit: 10, order: "desc", after })
    found.push(...page.shown.map(({ wallet, token }) => nameOf({ wallet, token_id: token })))
    pages += 1
    after = page.next
  } while (after !== undefined)
  assert.deepStrictEqual(found, wanted.map(nameOf))
  assert.isAbove(pages, wanted.length / 10 + 1)
})

const assertTitles = Effect.fnUntraced(function* (key: string, wallet: string, slug: string) {
  const { sql } = yield* Postgres
  const path = `/v2/wallets/${wallet}/closed-positions?`
  const titled = (title: string) => everyPage(key, `${path}title=${encodeURIComponent(title)}`, 50)
  const ofMarket = yield* everyPage(key, `${path}market=${slug}`, 1)
  assert.isNotEmpty(ofMarket)
  assert.isTrue(ofMarket.every((row) => row.slug === slug))
  const title = "Über 100%_\\ sure?"
  yield* sql`update market set question = ${title} where slug = ${slug}`
  const renamed = ofMarket.map((row) => ({ ...row, title }))
  for (const part of ["%_\\", "0%_", "über 100%", "SURE?", title])
    assert.deepStrictEqual(yield* titled(part), renamed, part)
  for (const part of ["0%sure", "100_", "\\%", "\\_"]) assert.deepStrictEqual(yield* titled(part), [], part)
  const unknown = yield* askWith(key, `${path}market=${slug}x`)
  assert.deepStrictEqual([unknown.status, unknown.json.error], [404, "Not found."])
  assert.include(unknown.json.hint, `Did you mean "${slug}"?`)
})

/** Combos have their legs as a title, also for the filter, and null instead of what they have not. */
const assertCombos = Effect.fnUntraced(function* (key: string, rows: ReadonlyArray<OnchainRow>) {
  const { sql } = yield* Postgres
  const { wallet, token_id, market, ...combo } =
    rows.find((row) => row.market?.includes(" + ")) ?? assert.fail("nobody holds a combo with listed legs")
  assert.deepInclude(combo, { market_slug: null, image: null, event_slug: null })
  yield* sql`update position set shares = 0 where token = (select id from token where hash = ${bytesOfToken(token_id)})`
  const path = `/v2/wallets/${wallet}/closed-positions?title=${encodeURIComponent(market ?? "")}`
  const found = (yield* everyPage(key, path, 50)).find(({ asset }) => asset === token_id)
  assert.deepInclude(found, { title: market, slug: null, icon: null, event_slug: null, end_date: null })
  assert.sameMembers([found?.outcome, found?.opposite_outcome], ["Yes", "No"])
})

for (const seed of isSoak ? [71, 79] : [71]) {
  layer(livedServer(seed), { excludeTestServices: true })(`Positions of world ${seed} over REST`, (it) => {
    it.effect(
      "match the venue's ledger on every page, in every order and with every filter; losing shares are not redeemable",
      () =>
        Effect.gen(function* () {
          const simulation = yield* livedWorld(seed)
          const { key } = yield* keyOf("enterprise")
          const all = yield* expectedPositions(simulation)
          const of = (wallet: string) => all.filter((each) => each.wallet === wallet)
          const held = [...new Set(all.map(({ wallet }) => wallet))].map((wallet) => ({ wallet, truth: of(wallet) }))
          const ranked = held.toSorted((a, b) => b.truth.length - a.truth.length)

          const some = isSoak ? [ranked[1], ranked[20], ranked.at(-1)] : [ranked[1], ranked.at(-1)]
          for (const { wallet, truth } of some.flatMap((each) => each ?? [])) {
            yield* assertWallet(key, wallet, truth)
            const closed = truth.filter(({ isOpen }) => !isOpen).map((each) => closedRow(simulation, each))
            const path = `/v2/wallets/${wallet.toUpperCase()}/closed-positions`
            for (const [sort, value] of Object.entries(sorts)) {
              for (const direction of ["ASC", "DESC"] as const) {
                const rows = yield* everyPage(key, `${path}?sortBy=${sort}&sortDirection=${direction}`, 50)
                assert.deepStrictEqual(byAsset(rows), byAsset(closed))
                const values = rows.map(value)
                const inOrder = values.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))
                assert.deepStrictEqual(values, direction === "ASC" ? inOrder : inOrder.reverse())
              }
            }
          }
          assert.strictEqual(yield* refreshLeaderboards, "rebuilt")
          for (const { wallet, truth } of ranked.slice(2, isSoak ? 20 : 4)) yield* assertWallet(key, wallet, truth)
          yield* assertTotalsFromBoards(key, ranked.at(-2)?.wallet ?? "")
          const rows = yield* assertEverybody(key, all)
          yield* assertShortPages(rows)
          const titled = all.find(({ isOpen, names }) => !isOpen && names !== undefined)
          yield* assertTitles(key, titled?.wallet ?? "", titled?.names?.slug ?? "")
        }),
    )

    it.effect("have the legs of a combo as its title, and null instead of an empty string", () =>
      Effect.gen(function* () {
        const { key } = yield* keyOf("enterprise")
        yield* assertCombos(key, yield* everyKey(key, "/v2/onchain/positions?", 500))
      }),
    )
  })
}
