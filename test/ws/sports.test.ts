import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { keyOf } from "#test/http/support/keys.ts"
import { assertDocumented } from "./support/assertDocumented.ts"
import { type Client, connect } from "./support/client.ts"
import { append, testGateway } from "./support/gateway.ts"

const score = (game: string, league: string | null, slug: string | null, more: object = {}) => ({
  kind: "score",
  data: {
    game,
    slug,
    league,
    phase: "live",
    status: "inprogress",
    score: "1-0",
    period: "Q1",
    elapsed: "1:00",
    live: true,
    ended: false,
    at: 1_794_700_800_000,
    ...more,
  },
})

const games = ({ events }: Client) => events.map(({ data }) => data.game_id)

layer(testGateway(), { excludeTestServices: true })("The stream of sports", (it) => {
  it.effect("sends the scores of the leagues and games that are asked for", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("growth")
      const clients = yield* Effect.forEach(Array.from({ length: 4 }), () => connect(key))
      const [all, leagues, byGame, both] = clients as [Client, Client, Client, Client]
      const subscribe = (client: Client, filters?: object) =>
        client.request({ action: "subscribe", type: "sports", ...(filters && { filters }) }, "subscribed")
      yield* subscribe(all)
      const ack = yield* subscribe(leagues, { leagues: ["NBA", "grand slam"] })
      assert.deepStrictEqual([ack["subscription_type"], ack["warnings"]], ["sports", []])
      yield* subscribe(byGame, { games: ["7", "EPL-ABC-DEF"] })
      yield* subscribe(both, { games: ["1", "2"], leagues: ["nba"] })

      yield* append([
        score("1", "nba", "nba-a-b"),
        score("2", "epl", "epl-abc-def"),
        score("7", null, null, { phase: "ended", ended: true, live: false }),
        score("id27:x", "grand slam", null),
        score("9", "nba", "nba-c-d"),
      ])
      yield* all.until("all five", () => games(all).length === 5 || undefined)
      yield* leagues.until("three of two leagues", () => games(leagues).length === 3 || undefined)
      yield* byGame.until("two games", () => games(byGame).length === 2 || undefined)
      yield* both.until("one", () => games(both).length === 1 || undefined)
      assert.deepStrictEqual(games(leagues), ["1", "id27:x", "9"])
      assert.deepStrictEqual(games(byGame), ["2", "7"])
      assert.deepStrictEqual(games(both), ["1"])
      assert.deepInclude(all.events[2]?.data, { event_type: "score", league: null, phase: "ended", slug: null })

      const replayed = yield* connect(key)
      yield* replayed.request(
        { action: "subscribe", type: "sports", filters: { leagues: ["nba"] }, snapshot_count: 10 },
        "subscribed",
      )
      const snapshot = yield* replayed.nextOf("snapshot")
      assert.deepStrictEqual(
        snapshot["events"].map((event: { data: { game_id: string } }) => event.data.game_id),
        ["1", "9"],
      )
      assertDocumented(...clients, replayed)
    }),
  )

  it.effect("refuses filters that are not of its kind", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("growth")
      const client = yield* connect(key)
      const refused = yield* client.request(
        { action: "subscribe", type: "fills", filters: { leagues: ["nba"] } },
        "error",
      )
      assert.match(refused["message"], /leagues is for the type sports/)
      const unmatched = yield* client.request(
        { action: "subscribe", type: "sports", filters: { wallets: [`0x${"1".repeat(40)}`] } },
        "subscribed",
      )
      assert.match(String(unmatched["warnings"]), /cannot_match.*wallets.*score/)
      const empty = yield* client.request({ action: "subscribe", type: "sports", filters: { games: [] } }, "error")
      assert.match(empty["message"], /at least one/)
    }),
  )
})
