import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { askWith } from "#test/http/support/keys.ts"
import { type Named, type Reference, type ReferenceRow, ranked } from "./referenceBoards.ts"

const byRealized = ({ realized }: ReferenceRow) => realized
const allTime: Readonly<Record<string, (row: ReferenceRow) => bigint>> = {
  total: ({ realized, unrealized }) => realized + unrealized,
  loss: ({ profit, realized }) => profit - realized,
  volume: ({ volume }) => volume,
  positions: ({ positions }) => BigInt(positions),
}
export const periods = { "1d": 1, "7d": 7, "30d": 30 }

/** All pages. */
const pages = (key: string, query: string) =>
  Effect.gen(function* () {
    const rows: Array<unknown> = []
    const moments = new Set<number>()
    for (let more = true; more; ) {
      const { status, json, text } = yield* askWith(key, `/v3/leaderboard?${query}&offset=${rows.length}`)
      assert.strictEqual(status, 200, `${query}: ${text}`)
      rows.push(...json.leaderboard)
      moments.add(json.as_of)
      more = json.has_more
    }
    return { rows, moments: [...moments] }
  })

export const tokensOf = (named: ReadonlyArray<Named>, is: (each: Named) => boolean) =>
  new Set(named.filter(is).map(({ token }) => token))

export type Scope = readonly [query: string, tokens: ReadonlySet<number> | undefined]
export const everything: Scope = ["", undefined]

const distinct = <A>(all: Iterable<A>) => [...new Set(all)]

/** Categories, tags, and markets and events by each of their names. */
export const scopesIn = (named: ReadonlyArray<Named>) => ({
  categories: distinct(named.flatMap(({ category }) => category || [])).map(
    (value): Scope => [`category=${encodeURIComponent(value)}`, tokensOf(named, (each) => each.category === value)],
  ),
  tags: distinct(named.flatMap(({ tags }) => tags)).map(
    (value): Scope => [`tags=${encodeURIComponent(value)}`, tokensOf(named, (each) => each.tags.includes(value))],
  ),
  markets: named.flatMap(({ id, condition, market, event }) => {
    const ofMarket = tokensOf(named, (each) => each.condition === condition)
    return [
      [`market_slug=${market}`, ofMarket],
      [`event_slug=${event}`, tokensOf(named, (each) => each.event === event)],
      [`market=0x${condition.toUpperCase()}`, ofMarket],
      [`condition_id=0x${condition}`, ofMarket],
      [`market=${BigInt(`0x${id}`)}`, ofMarket],
      [`market=${market}`, ofMarket],
    ] as const
  }),
})

/** Asserts that all boards of these scopes equal the reference. Returns the number of compared rows. */
export const assertBoards = (
  key: string,
  { board, asOf }: Reference,
  scopes: ReadonlyArray<Scope>,
  withPartial?: boolean,
) =>
  Effect.gen(function* () {
    const parameter = withPartial === undefined ? "" : `&include_partial=${withPartial}`
    const shown = (rows: ReadonlyArray<ReferenceRow>) => rows.filter(({ partial }) => withPartial || partial === 0)
    let compared = 0
    for (const [scope, tokens] of scopes) {
      for (const [period, days] of Object.entries(periods)) {
        const { rows, moments } = yield* pages(key, `period=${period}&${scope}${parameter}`)
        assert.deepStrictEqual(moments, [asOf])
        assert.deepStrictEqual(rows, ranked(shown(board(tokens, days)), byRealized, 1_000), `${period} ${scope}`)
        compared += rows.length
      }
      const allTimeRows = shown(board(tokens, undefined))
      for (const [sort, value] of Object.entries(allTime)) {
        if (sort !== "total" && scope !== "") continue
        const { rows } = yield* pages(key, `sort=${sort}&${scope}${parameter}`)
        assert.deepStrictEqual(rows, ranked(allTimeRows, value, 10_000), `${sort} ${scope}`)
        compared += rows.length
      }
    }
    return compared
  })
