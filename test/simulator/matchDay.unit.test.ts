import { assert, describe, it } from "@effect/vitest"
import { GammaView } from "#src/simulator/gamma/GammaView.ts"
import { gameStateAt } from "#src/simulator/gamma/game.ts"
import { Journal, type WorldRequest } from "#src/simulator/Journal.ts"
import { Simulation } from "#src/simulator/Simulation.ts"
import { GameWatch } from "#src/simulator/sports/GameWatch.ts"
import type { Event } from "#src/simulator/world/Venue.ts"

const hour = 3_600_000
const genesis = Date.UTC(2026, 10, 18, 20)

const simulated = (more: Partial<WorldRequest>, at = genesis) =>
  new Simulation(Journal.open(undefined, { seed: 7, genesis, scale: "brief", rate: 1, ...more }), () => at)

const games = 60
const world = simulated({ games }, genesis + 2 * hour)

const gamesOf = ({ model }: Simulation) =>
  new Map(
    model.world.venue.events.flatMap(({ plan: { game } }) => (game === undefined ? [] : [[game.id, game] as const])),
  )

/** Games in play and to come. */
const countAt = (simulation: Simulation, at: number) => {
  const open = [...gamesOf(simulation).values()].filter(({ endsAt }) => endsAt > at)
  const live = open.filter(({ startsAt }) => startsAt <= at)
  return { live: live.length, upcoming: open.length - live.length }
}

const own = ({ plan }: Event) => plan.game === undefined || plan.game.id < 1_000_000_000
const described = ({ plan }: Event) => JSON.stringify({ ...plan, game: plan.game?.id })

describe("a match day", () => {
  it("has so many games in play at any time, and ten times as many to come", () => {
    for (const at of [genesis, genesis + hour, genesis + 2 * hour]) {
      const { live } = countAt(world, at)
      assert.approximately(live, games, games * 0.2, `at ${at - genesis}`)
    }
    const { upcoming } = countAt(world, genesis + 2 * hour)
    assert.approximately(upcoming, games * 10, games)
  })

  it("has markets, conditions, tokens and slugs of its own", () => {
    const { markets, tokens, events } = world.model.world.venue
    const conditions = new Set(markets.map(({ conditionId }) => conditionId))
    assert.strictEqual(conditions.size, markets.length)
    assert.strictEqual(new Set(tokens.map(({ id }) => id)).size, tokens.length)
    assert.strictEqual(new Set(events.map(({ plan }) => plan.slug)).size, events.length)
    assert.strictEqual(new Set(markets.map(({ plan }) => plan.slug)).size, markets.length)
    for (const { plan } of events) assert.isNotEmpty(plan.markets, plan.slug)
  })

  it("lists most games with their main markets, in which neg-risk events have one winner", () => {
    const counts = world.model.world.venue.events.filter((event) => !own(event)).map(({ plan }) => plan.markets.length)
    assert.isAbove(counts.filter((count) => count <= 6).length / counts.length, 0.75)
    assert.isAbove(Math.max(...counts), 40)
    for (const { plan } of world.model.world.venue.events) {
      if (!plan.negRisk || plan.game === undefined) continue
      const won = plan.markets.filter(({ rule }) => rule.kind === "fate" && rule.winner === 0)
      assert.strictEqual(won.length, 1, plan.slug)
    }
  })

  it("sends scores of all leagues", () => {
    const watch = new GameWatch(world.model.world.venue, genesis + hour)
    const updates = [...watch.updatesUntil(genesis + 2 * hour)]
    assert.strictEqual(new Set(updates.map(({ game }) => game.league)).size, 10)
    const inPlay = updates.filter(({ game, at }) => gameStateAt(game, at).live)
    assert.isAbove(new Set(inPlay.map(({ game }) => game.id)).size, games)
  })

  it("needs room for the texts of its markets, which worlds without games do not take", () => {
    const view = new GammaView(world, world.model.catalogue)
    const open = world.model.world.venue.markets.filter((market) => !view.isClosed(market))
    const ofGames = open.filter(({ plan }) => plan.slug.match(/-\d{10}/) !== null)
    assert.isAtLeast(view.marketTexts.maxEntries, open.length)
    assert.approximately(ofGames.length / games, 130, 40)
    const without = simulated({})
    assert.isAtMost(new GammaView(without, without.model.catalogue).marketTexts.maxEntries, 15_000)
  })

  it("leaves all other events as they are", () => {
    const before = simulated({}).model.world.venue.events.filter(({ plan }) => plan.category !== "combos")
    const after = simulated({ games }).model.world.venue.events.filter(own)
    assert.deepStrictEqual(after.filter(({ plan }) => plan.category !== "combos").map(described), before.map(described))
  })

  it("belongs to the world of a journal", () => {
    assert.strictEqual(Journal.open(undefined, { seed: 7, genesis, scale: "brief" }).genesis.games, undefined)
    assert.strictEqual(Journal.open(undefined, { seed: 7, genesis, scale: "brief", games }).genesis.games, games)
  })
})
