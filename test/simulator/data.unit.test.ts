import { assert, describe, it } from "@effect/vitest"
import { makeServer } from "#src/simulator/server.ts"
import { exchangeAsTaker, Side } from "#src/simulator/world/Facts.ts"
import { defined, keyOf, most, numberIn, served, tradeFields } from "./dataVenue.ts"

const world = served(2)
const { facts, list, errorOf, sim, token, wallets, end, maker, shownFills, keyOfFill } = world

const isSoak = process.env.PRESAGE_SOAK === "1"

const isTakers = (fill: number) => facts.taker.get(fill) === exchangeAsTaker
const busiest = most(world.venue.markets, ({ trades }) => trades)
const taker = most(wallets, ({ index }) => [...facts.fillsByMaker.of(index)].filter(isTakers).length)

describe("data trades route", () => {
  it("lists the taker fills of existing blocks, newest first, with the venue's fields", () => {
    const rows = list("/trades?limit=10000")
    assert.deepStrictEqual(rows.map(keyOf), shownFills().filter(isTakers).map(keyOfFill))
    for (const row of rows) assert.deepStrictEqual(Object.keys(row), tradeFields.split(" "))
    assert.isBelow(end(), facts.length, "something waits for its block")
  })

  it("takerOnly=false adds exactly the maker fills", () => {
    const all = list("/trades?limit=10000&takerOnly=false")
    assert.deepStrictEqual(all.map(keyOf), shownFills().map(keyOfFill))
    const taken = new Set(list("/trades?limit=10000").map(keyOf))
    const rest = all.filter((row) => !taken.has(keyOf(row)))
    assert.deepStrictEqual(
      rest.map(keyOf),
      shownFills()
        .filter((fill) => !isTakers(fill))
        .map(keyOfFill),
    )
  })

  it("a row contains the fill, its time and its wallet", () => {
    const [row] = list("/trades?takerOnly=false&limit=1")
    const fill = defined(shownFills()[0])
    const { market, outcome } = token(facts.fillToken.get(fill))
    const wallet = defined(wallets[facts.maker.get(fill)])
    assert.include(defined(row), {
      conditionId: market.conditionId,
      price: facts.usd.get(fill) / facts.shares.get(fill),
      title: market.plan.question,
      slug: market.plan.slug,
      eventSlug: market.event.plan.slug,
      outcome: market.plan.outcomes[outcome],
      outcomeIndex: outcome,
      pseudonym: wallet.pseudonym,
    })
    const block = sim.chain.txRange(sim.head)
    assert.isAtMost(numberIn(defined(row), "timestamp"), sim.now() / 1000)
    assert.isAtMost(facts.txOf(fill), block[1])
  })

  it("can be filtered by user, market, event, side, size and time", () => {
    const taken = shownFills().filter(isTakers)
    const same = (target: string, expected: ReadonlyArray<number>) => {
      assert.isAbove(expected.length, 0, target)
      assert.deepStrictEqual(list(`/trades?limit=10000&${target}`).map(keyOf), expected.map(keyOfFill), target)
    }
    const ofMarket = (fill: number, index: number) => token(facts.fillToken.get(fill)).market.index === index
    const user = taker.address.toUpperCase().replace("0X", "0x")
    same(
      `user=${user}`,
      taken.filter((fill) => facts.maker.get(fill) === taker.index),
    )
    const made = shownFills().filter((fill) => facts.maker.get(fill) === maker.index)
    same(`user=${maker.address}&takerOnly=false`, made)
    same(
      `market=${busiest.conditionId}`,
      taken.filter((fill) => ofMarket(fill, busiest.index)),
    )
    const both = made.filter((fill) => ofMarket(fill, busiest.index))
    same(`market=${busiest.conditionId}&user=${maker.address}&takerOnly=false`, both)
    const { markets, id } = busiest.event
    const inEvent = shownFills().filter((fill) => markets.includes(token(facts.fillToken.get(fill)).market.index))
    same(`eventId=${id}&takerOnly=false`, inEvent)
    same(
      "side=sell",
      taken.filter((fill) => facts.side.get(fill) === Side.sell),
    )
    same(
      "filterType=CASH&filterAmount=100.5",
      taken.filter((fill) => facts.usd.get(fill) >= 100_500_000),
    )
    same(
      "filterType=TOKENS&filterAmount=500",
      taken.filter((fill) => facts.shares.get(fill) >= 500_000_000),
    )
    const times = list("/trades?limit=10000").map((row) => numberIn(row, "timestamp"))
    const [late, early] = [defined(times[20]), defined(times[200])]
    same(
      `start=${early}&end=${late}`,
      taken.filter((_, i) => defined(times[i]) >= early && defined(times[i]) <= late),
    )
  })

  it("is paged by offset and limit", () => {
    const all = list("/trades?limit=300")
    assert.lengthOf(list("/trades"), 100)
    assert.lengthOf(list("/trades?limit=0"), 0)
    assert.deepStrictEqual(list("/trades?limit=100&offset=150"), all.slice(150, 250))
    assert.deepStrictEqual(list("/trades?offset=10000"), [])
    assert.deepStrictEqual(errorOf("/trades?offset=10001"), {
      status: 400,
      error: { error: "max historical trades offset of 10000 exceeded" },
    })
  })
})

describe("dataService", () => {
  it("invalid v1 requests get the venue's error messages", () => {
    const { address } = maker
    for (const [target, status] of [
      ["/positions", 400],
      ["/closed-positions", 400],
      ["/activity", 400],
      ["/value", 400],
      ["/traded", 400],
      ["/holders", 400],
      ["/live-volume", 400],
      ["/v1/market-positions", 400],
      ["/positions?user=0x12", 400],
      [`/positions?user=${address}&limit=ten`, 400],
      [`/positions?user=${address}&sortBy=NAME`, 400],
      [`/positions?user=${address}&title=${"x".repeat(101)}`, 400],
      [`/positions?user=${address}&market=${busiest.conditionId}&eventId=1`, 400],
      [`/positions?user=${address}&offset=10001`, 400],
      [`/closed-positions?user=${address}&offset=100001`, 400],
      [`/activity?user=${address}&offset=5001`, 400],
      [`/activity?user=${address}&type=GIFT`, 400],
      ["/trades?market=0x12", 400],
      ["/trades?takerOnly=perhaps", 400],
      ["/trades?filterAmount=5", 400],
      ["/v1/leaderboard?timePeriod=YEAR", 400],
      ["/v1/leaderboard?offset=1001", 400],
      ["/nowhere", 404],
      ["/constructor", 404],
    ] as const) {
      const { status: got, error } = errorOf(target)
      assert.strictEqual(got, status, target)
      assert.deepStrictEqual(Object.keys(error), ["error"], target)
    }
    assert.strictEqual(errorOf("/positions").error["error"], "required query param 'user' not provided")
    assert.strictEqual(errorOf("/trades?takerOnly=maybe").error["error"], "takerOnly is not a valid boolean")
    assert.strictEqual(
      errorOf("/v1/leaderboard?timePeriod=YEAR").error["error"],
      "timePeriod must be one of DAY, WEEK, MONTH, ALL",
    )
    assert.strictEqual(world.send("/trades", "POST").status, 405)
  })

  it("arbitrary requests never throw", () => {
    const names =
      "user market condition eventId limit offset cursor start end type side sortBy sortDirection filterType filterAmount takerOnly status id title timePeriod category question_id sizeThreshold minBalance"
    const values = [
      "",
      "NaN",
      "-1",
      "1e308",
      "9007199254740993",
      "%00",
      maker.address,
      busiest.conditionId,
      "W10",
      "MQ",
    ]
    const paths =
      "/ /trades /activity /positions /closed-positions /holders /value /traded /oi /live-volume /v1/leaderboard /v1/builders/leaderboard /v1/builders/volume /v1/market-positions /v2/trades /v2/activity /v2/positions /v2/leaderboard /v2/builders/leaderboard /v2/builders/volume /v2/user-stats /v2/resolutions /v2 /v2/"
    let turn = 0
    const user = `user=${maker.address}&market=${busiest.conditionId}&limit=3`
    for (const path of paths.split(" ")) {
      for (const name of names.split(" ")) {
        // In a soak all of them; otherwise three, others for each parameter.
        const used = isSoak ? values : [0, 1, 2].map(() => defined(values[turn++ % values.length]))
        for (const value of used) {
          const { status, body } = world.send(
            `${path}?${user.replace(new RegExp(`${name}=[^&]*&?`), "")}&${name}=${value}`,
          )
          assert.include([200, 400, 404], status, `${path} ${name}=${value}`)
          JSON.parse(body)
        }
      }
    }
  })

  it("serves over HTTP", async () => {
    const server = makeServer({ services: { "/data": world.service }, sockets: {} }, (error) =>
      assert.fail(String(error)),
    )
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    try {
      const bound = server.address()
      const base = `http://127.0.0.1:${typeof bound === "object" ? bound?.port : ""}/data`
      assert.deepStrictEqual(await (await fetch(base)).json(), { data: "OK" })
      assert.deepStrictEqual(await (await fetch(`${base}/trades?limit=5`)).json(), list("/trades?limit=5"))
      const second = await fetch(`${base}/v2/trades?limit=5000`)
      assert.strictEqual(second.status, 400)
      assert.match(second.headers.get("x-trace-id") ?? "", /^[0-9a-f]{32}$/)
    } finally {
      await new Promise((resolve) => server.close(resolve))
    }
  })

  it("shows a pending trade once its block exists", () => {
    const moving = served(4)
    assert.isBelow(moving.end(), moving.facts.length)
    const before = moving.list("/trades?limit=10000&takerOnly=false").length
    moving.sim.settle()
    assert.strictEqual(moving.end(), moving.facts.length)
    assert.isAbove(moving.list("/trades?limit=10000&takerOnly=false").length, before)
    assert.strictEqual(moving.list("/trades?limit=10000&takerOnly=false").length, moving.facts.fills)
  })
})
