import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { refreshLeaderboards } from "#src/leaderboards/refresh.ts"
import { advanceRollups } from "#src/rollups/advance.ts"
import { Dice } from "#src/simulator/random.ts"
import { type Named, referenceBoards } from "#test/leaderboards/support/referenceBoards.ts"
import {
  type Booked,
  bookedPositions,
  combosOf,
  type Gain,
  gainsShown,
  openBefore,
  summaryShown,
} from "#test/wallets/support/books.ts"
import { askWith, keyOf } from "./support/keys.ts"
import { livedServer, livedWorld } from "./support/livedWorld.ts"

const server = livedServer(71, { "leaderboards.look": "0ms" })

const isSoak = process.env.PRESAGE_SOAK === "1"
const seed = 71
const daySeconds = 86_400

type Json = Readonly<Record<string, unknown>>
const pick = (row: Json, names: Iterable<string>) => Object.fromEntries([...names].map((name) => [name, row[name]]))

/** The world, its books by wallet, and the names of its tokens. */
const settled = Effect.gen(function* () {
  const simulation = yield* livedWorld(seed)
  yield* advanceRollups
  assert.strictEqual(yield* refreshLeaderboards, "rebuilt")
  const { named } = yield* referenceBoards
  return {
    simulation,
    books: yield* bookedPositions(simulation),
    named: new Map(named.map((each) => [each.id, each])),
    newest: simulation.model.world.clock.timestampOf(simulation.head),
  }
})
type World = Effect.Success<typeof settled>

let world: World | undefined
const theWorld = Effect.suspend(() =>
  world === undefined
    ? Effect.tap(settled, (made) =>
        Effect.sync(() => {
          world = made
        }),
      )
    : Effect.succeed(world),
)

const ask = Effect.fnUntraced(function* (key: string, path: string) {
  const { status, json, text } = yield* askWith(key, path)
  assert.strictEqual(status, 200, `${path}: ${text}`)
  return json
})

interface Drawn {
  readonly parameters: ReadonlyArray<string>
  readonly has: (gain: Gain) => boolean
  /** What the answer says of it. */
  readonly shown: Json
}

const drawWindow = (dice: Dice, { newest }: World, oldest: number): Drawn => {
  const kind = dice.between(0, 4)
  if (kind === 0) return { parameters: [], has: () => true, shown: { period: "all" } }
  if (kind === 1) {
    const [period = "", days = 0] = Object.entries({ "1d": 1, "7d": 7, "30d": 30, "1y": 365 })[dice.between(0, 3)] ?? []
    const after = newest - days * daySeconds + 1
    return {
      parameters: [`period=${period}`],
      has: ({ at }) => at >= after,
      shown: { period, after, before: newest + 1 },
    }
  }
  const [one, other] = [dice.between(oldest, newest), dice.between(oldest, newest)]
  const [after, before] = [Math.min(one, other), Math.max(one, other) + 1]
  const [hasAfter, hasBefore] = [kind !== 2, kind !== 3]
  return {
    parameters: [...(hasAfter ? [`after=${after}`] : []), ...(hasBefore ? [`before=${before}`] : [])],
    has: ({ at }) => (!hasAfter || at >= after) && (!hasBefore || at < before),
    shown: { period: "custom", after: hasAfter ? after : null, before: hasBefore ? before : null },
  }
}

/** A scope with the name of one of the wallet's positions. */
const drawScope = (dice: Dice, { named }: World, positions: ReadonlyArray<Booked>) => {
  const position = positions[dice.between(0, positions.length - 1)] ?? assert.fail("a wallet without positions")
  const { token } = position
  const condition = token.market.conditionId
  const isSame = (read: (each: Named) => unknown) => {
    const value = read(named.get(token.hex) as Named)
    return (each: Booked) => {
      const of = named.get(each.token.hex)
      return of !== undefined && read(of) === value
    }
  }
  const of = named.get(token.hex)
  const ofCondition = (each: Booked) => each.token.market.conditionId === condition
  const always: ReadonlyArray<readonly [string, (each: Booked) => boolean]> = [
    ["", () => true],
    [`condition_id=${condition}`, ofCondition],
    [`token_id=${token.id}`, (each) => each.token.id === token.id],
    [`condition_id=${condition}&token_id=${token.id}`, (each) => each.token.id === token.id],
    [`market=${token.id}`, ofCondition],
  ]
  const listed: typeof always =
    of === undefined
      ? []
      : [
          [`market_slug=${of.market}`, ofCondition],
          [`market=${of.market}`, ofCondition],
          [`event_slug=${of.event}`, isSame(({ event }) => event)],
          ...(of.category
            ? [[`category=${encodeURIComponent(of.category)}`, isSame(({ category }) => category)] as const]
            : []),
          ...of.tags.map((tag) => [`tags=${tag}`, (each: Booked) => each.tags.includes(tag)] as const),
          ...of.tags.map((tag) => [`tag_slug=${tag}`, (each: Booked) => each.tags.includes(tag)] as const),
        ]
  const all = [...always, ...listed]
  return all[dice.between(0, all.length - 1)] ?? assert.fail("no scope")
}

const starts = {
  hour: (at: number) => at - (at % 3_600),
  day: (at: number) => at - (at % daySeconds),
  // The first of January 1970 was a Thursday.
  week: (at: number) => at - ((at + 3 * daySeconds) % (7 * daySeconds)),
  month: (at: number) => {
    const date = new Date(at * 1000)
    return Date.UTC(date.getUTCFullYear(), date.getUTCMonth()) / 1000
  },
}

const expectedBuckets = (gains: ReadonlyArray<Gain>, group: keyof typeof starts) => {
  let cumulative = 0n
  return [...Map.groupBy(gains, ({ at }) => starts[group](at))]
    .toSorted(([a], [b]) => a - b)
    .map(([bucket, own]) => {
      cumulative += own.reduce((sum, { amount }) => sum + amount, 0n)
      return { bucket, ...gainsShown(own), events: own.length, cumulative_pnl: Number(cumulative) / 1e6 }
    })
}

const gainsIn = (positions: ReadonlyArray<Booked>) => positions.flatMap(({ gains }) => gains)

const walletsOf = ({ books }: World) => [...books.values()].filter((positions) => positions.length > 0)

/** Mostly a busy wallet. */
const drawWallet = (dice: Dice, drawn: World) => {
  const busiest = walletsOf(drawn).toSorted((a, b) => gainsIn(b).length - gainsIn(a).length)
  const all = dice.chance(0.7) ? busiest.slice(0, 20) : busiest
  return all[dice.between(0, all.length - 1)] ?? assert.fail("no wallet")
}

layer(server, { excludeTestServices: true })("P&L of a wallet", (it) => {
  it.effect("has every gain and loss of the window and scope, and nothing else", () =>
    Effect.gen(function* () {
      const drawn = yield* theWorld
      const { key } = yield* keyOf("enterprise")
      const dice = new Dice(seed)
      let compared = 0
      let openThen = 0
      for (let round = 0; round < (isSoak ? 1_500 : 95); round++) {
        const positions = drawWallet(dice, drawn)
        const wallet = positions[0]?.wallet ?? ""
        const oldest = Math.min(drawn.newest, ...gainsIn(positions).map(({ at }) => at))
        const { parameters, has, shown } = drawWindow(dice, drawn, oldest)
        const [scope, isIn] = drawScope(dice, drawn, positions)
        const within = positions.filter(isIn)
        const gains = gainsIn(within).filter(has)
        const withNow = dice.chance(0.3)
        const query = [...parameters, scope, ...(withNow ? ["include_unrealized=true"] : [])].filter(Boolean).join("&")
        const json = yield* ask(key, `/v3/wallets/${wallet}/pnl?${query}`)
        const all = summaryShown(within)
        const end = Number(shown["before"] ?? drawn.newest + 1)
        const due =
          shown["period"] === "all"
            ? { ...all, ...shown }
            : {
                ...gainsShown(gains),
                net_realized_pnl: gainsShown(gains).realized_pnl,
                events: gains.length,
                ...shown,
                open_positions_at_date: openBefore(drawn.simulation, within, end).length,
                ...(withNow && {
                  unrealized_pnl: all.unrealized_pnl,
                  open_positions: all.open_positions,
                  total_pnl: Math.round((gainsShown(gains).realized_pnl + all.unrealized_pnl) * 1e6) / 1e6,
                }),
              }
        assert.deepStrictEqual(pick(json, Object.keys(due)), due, `${wallet} ${query}`)
        assert.strictEqual(json.as_of.block_time, drawn.newest)
        compared += gains.length
        if (end <= drawn.newest) openThen += json.open_positions_at_date
      }
      assert.isAbove(compared, 500)
      assert.isAbove(openThen, 30)
    }),
  )

  it.effect("is the same in its buckets, which are cut by UTC, add up, and are the newest if there are too many", () =>
    Effect.gen(function* () {
      const drawn = yield* theWorld
      const { key } = yield* keyOf("enterprise")
      const dice = new Dice(seed + 1)
      for (let round = 0; round < (isSoak ? 600 : 12); round++) {
        const positions = drawWallet(dice, drawn)
        const wallet = positions[0]?.wallet ?? ""
        const oldest = Math.min(drawn.newest, ...gainsIn(positions).map(({ at }) => at))
        const { parameters, has, shown } = drawWindow(dice, drawn, oldest)
        const group = (["hour", "day", "week", "month"] as const)[dice.between(0, 3)] ?? "day"
        const limit = dice.chance(0.3) ? dice.between(1, 5) : 1_000
        const gains = gainsIn(positions).filter(has)
        const due = expectedBuckets(gains, group)
        const query = [...parameters, `group=${group}`, `limit=${limit}`].join("&")
        const json = yield* ask(key, `/v3/wallets/${wallet}/pnl/events?${query}`)
        const sums = gainsShown(gains)
        assert.deepStrictEqual(
          json.buckets.map((bucket: Json) => pick(bucket, Object.keys(due[0] ?? {}))),
          due.slice(-limit),
          `${wallet} ${query}`,
        )
        const totals = {
          address: wallet,
          granularity: group,
          bucket_count: Math.min(limit, due.length),
          has_more: due.length > limit,
          total_realized_pnl: sums.realized_pnl,
          total_gross_profit: sums.gross_profit,
          total_gross_loss: sums.gross_loss,
          total_events: gains.length,
          total_wins: sums.wins,
          total_losses: sums.losses,
          after: shown["after"] ?? null,
          before: shown["before"] ?? null,
        }
        assert.deepStrictEqual(pick(json, Object.keys(totals)), totals, `${wallet} ${query}`)
        if (due.length > 0) assert.strictEqual(json.buckets.at(-1).cumulative_pnl, json.total_realized_pnl)
        if (shown["period"] === "all") {
          const summary = yield* ask(key, `/v3/wallets/${wallet}`)
          assert.strictEqual(json.total_realized_pnl, summary.realized_pnl)
          const same = ["open_positions", "unrealized_pnl", "total_pnl"]
          assert.deepStrictEqual(pick(json, same), pick(summary, same))
        } else assert.notProperty(json, "total_pnl")
      }
    }),
  )

  it.effect("of 1, 7 and 30 days is that of the rolling leaderboards", () =>
    Effect.gen(function* () {
      const { newest } = yield* theWorld
      const { key } = yield* keyOf("enterprise")
      for (const period of ["1d", "7d", "30d"]) {
        const { leaderboard, as_of } = yield* ask(key, `/v3/leaderboard?period=${period}&limit=${isSoak ? 40 : 12}`)
        assert.strictEqual(as_of, newest)
        assert.isAbove(leaderboard.length, 10)
        for (const row of leaderboard) {
          const json = yield* ask(key, `/v3/wallets/${row.wallet}/pnl?period=${period}&include_unrealized=true`)
          const same = [
            "realized_pnl",
            "gross_profit",
            "gross_loss",
            "wins",
            "losses",
            "unrealized_pnl",
            "total_pnl",
            "open_positions",
          ]
          assert.deepStrictEqual(pick(json, same), pick(row, same), `${period} ${row.wallet}`)
        }
      }
    }),
  )

  it.effect("shows the part of combos", () =>
    Effect.gen(function* () {
      const drawn = yield* theWorld
      const { key } = yield* keyOf("enterprise")
      const positions = walletsOf(drawn).find((own) => gainsIn(combosOf(own)).length > 0)
      const wallet = positions?.[0]?.wallet ?? assert.fail("nobody gained with combos")
      const combos = summaryShown(combosOf(positions ?? []))
      const names = ["realized_pnl", "unrealized_pnl", "total_pnl", "position_count", "open_positions"]
      const all = yield* ask(key, `/v3/wallets/${wallet}/pnl?include_combos=true`)
      assert.deepStrictEqual(pick(all.combo_pnl, names), pick(combos, names))
      assert.deepStrictEqual(pick(all, names), pick(summaryShown(positions ?? []), names))
      const after = drawn.newest - daySeconds + 1
      const { realized_pnl } = gainsShown(gainsIn(combosOf(positions ?? [])).filter(({ at }) => at >= after))
      const day = yield* ask(key, `/v3/wallets/${wallet}/pnl?include_combos=true&period=1d`)
      assert.deepStrictEqual(pick(day.combo_pnl, ["realized_pnl", "open_positions"]), {
        realized_pnl,
        open_positions: combos.open_positions,
      })
    }),
  )

  it.effect("comes in buckets as CSV and NDJSON", () =>
    Effect.gen(function* () {
      const drawn = yield* theWorld
      const { key } = yield* keyOf("enterprise")
      const positions = walletsOf(drawn).find((own) => gainsIn(own).length > 20)
      const path = `/v3/wallets/${positions?.[0]?.wallet}/pnl/events?group=hour`
      const { buckets } = yield* ask(key, path)
      const ndjson = yield* askWith(key, path, { headers: { accept: "application/x-ndjson" } })
      assert.deepStrictEqual(
        ndjson.text
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line)),
        buckets,
      )
      const csv = yield* askWith(key, path, { headers: { accept: "text/csv" } })
      const [header, ...lines] = csv.text.trim().split("\r\n")
      assert.strictEqual(header, "bucket,realized_pnl,cumulative_pnl,gross_profit,gross_loss,wins,losses,events")
      assert.strictEqual(lines.length, buckets.length)
      assert.strictEqual((yield* askWith(key, path, { headers: { accept: "image/png" } })).status, 406)
    }),
  )

  it.effect("is zero where there is none, and refuses what cannot be answered", () =>
    Effect.gen(function* () {
      const drawn = yield* theWorld
      const { key } = yield* keyOf("enterprise")
      const nobody = `/v3/wallets/0x${"e".repeat(40)}/pnl`
      const zeros = { ...gainsShown([]), events: 0, after: 5, before: 9, period: "custom", scope: "all", value: null }
      assert.deepStrictEqual(pick(yield* ask(key, `${nobody}?after=5&before=9`), Object.keys(zeros)), zeros)
      assert.deepInclude(yield* ask(key, `${nobody}/events`), { buckets: [], total_realized_pnl: 0, total_pnl: 0 })
      const [one, other] = [...drawn.named.values()].filter(
        ({ condition }, i, all) => all.findIndex((each) => each.condition === condition) === i,
      )
      const known = yield* ask(key, `${nobody}?market_slug=${one?.market}&period=1d`)
      assert.deepInclude(known, { realized_pnl: 0, scope: "market", value: one?.market })
      const refused = [
        ["?period=7d&after=5", 400, /exclude each other/],
        ["?period=all&before=5", 400, /exclude each other/],
        ["?after=9&before=9", 400, /must be less/],
        ["?period=2d", 400, /"1d".*"1y".*"all"/],
        ["?after=1794700800000", 400, /milliseconds/],
        ["?category=Crypto&tags=crypto", 400, /at most one/],
        ["?include_unrealized=1", 400, /"true".*"false"/],
        ["?include_combos=true&tags=crypto", 400, /exclude each other/],
        [
          `?condition_id=0x${one?.condition}&token_id=${BigInt(`0x${other?.id}`)}`,
          400,
          /other: condition_id, token_id\./,
        ],
        [`?market=0x${one?.condition}&token_id=${BigInt(`0x${other?.id}`)}`, 400, /other: market, token_id\./],
        [`?tags=crypto&token_id=${BigInt(`0x${other?.id}`)}`, 400, /other: tags, token_id\./],
        ["?tags=no-such-tag", 404, /tag/],
        ["?tags=no-such-tag&period=1d&include_unrealized=true", 404, /tag/],
        ["?category=Nothing", 404, /category/],
        ["?event_slug=no-such-event", 404, /event/],
        ["?market=no-such-market&period=1d", 404, /market/],
        ["?token_id=1", 404, /token/],
        [`?condition_id=0x${"1".repeat(64)}`, 404, /condition/],
        ["?limit=5", 400, /limit/],
        ["/events?group=year", 400, /"hour".*"month"/],
        ["/events?period=7d&after=5", 400, /exclude each other/],
        ["/events?limit=x", 400, /limit/],
        ["/events?tags=crypto", 400, /tags/],
      ] as const
      for (const [path, status, message] of refused) {
        const answer = yield* askWith(key, `${nobody}${path}`)
        assert.strictEqual(answer.status, status, `${path}: ${answer.text}`)
        assert.match(answer.text.replaceAll("\\", ""), message, path)
      }
      const { key: free } = yield* keyOf("free")
      assert.strictEqual((yield* askWith(free, nobody)).status, 402)
    }),
  )
})
