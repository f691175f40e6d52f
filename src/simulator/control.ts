import type { Simulation } from "./Simulation.ts"
import { json, type Service, type WireRequest } from "./wire.ts"
import { firstBlock } from "./world/blockClock.ts"
import type { Micro } from "./world/model.ts"
import type { Market } from "./world/Venue.ts"

const bad = (error: string) => json({ error }, 400)

/** The body as JSON, or nothing. */
const bodyOf = (request: WireRequest): Record<string, unknown> | undefined => {
  try {
    const parsed: unknown = JSON.parse(request.body || "{}")
    return typeof parsed === "object" && parsed !== null ? (parsed as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

const whole = (value: unknown, min: number, max: number): number | undefined =>
  typeof value === "number" && Number.isInteger(value) && value >= min && value <= max ? value : undefined

const stateOf = (sim: Simulation) => {
  const { world, wallets } = sim.made
  return {
    now: sim.now(),
    frozen: sim.frozen,
    head: sim.head,
    events: world.venue.events.length,
    markets: world.venue.markets.length,
    open_markets: world.venue.markets.filter(({ closed }) => !closed).length,
    wallets: wallets.length,
    transactions: world.facts.length,
    /** Transactions that no shown block holds yet; none after `settle`. */
    pending: world.facts.length - world.facts.block.lowerBound(sim.head - firstBlock + 1),
    fills: world.facts.fills,
  }
}

/** What a wallet owns, paid and earned, from the books. */
const walletTruth = (sim: Simulation, address: string) => {
  const { world, wallets } = sim.made
  const wallet = wallets.find((each) => each.address === address.toLowerCase())
  if (wallet === undefined) return undefined
  const { books, tokens } = world.venue
  const positions = [...books.positionsOf(wallet.index)].map((position) => ({
    token_id: tokens[books.tokenOf.get(position)]?.id,
    shares: books.shares.get(position),
    cost: books.cost.get(position),
    realized: books.realized.get(position),
    bought: books.bought.get(position),
    sold: books.sold.get(position),
  }))
  const total = (pick: (position: (typeof positions)[number]) => Micro) =>
    positions.reduce((sum, each) => sum + pick(each), 0)
  return {
    address: wallet.address,
    cash: books.cash.get(wallet.index),
    fees_paid: books.feesPaid.get(wallet.index),
    realized: total(({ realized }) => realized),
    positions,
  }
}

const marketTruth = (market: Market, sim: Simulation) => ({
  slug: market.plan.slug,
  condition_id: market.conditionId,
  token_ids: market.tokens.map((token) => sim.made.world.venue.tokens[token]?.id),
  volume: market.volume,
  closed: market.closed,
  payouts: market.payouts ?? null,
  resolved_at: market.resolvedAt ?? null,
})

/** Looks into the world and moves it; amounts are whole numbers of 10⁻⁶. */
export const controlService =
  (sim: Simulation): Service =>
  (request) => {
    const [, ...parts] = request.path.split("/")
    const route = `${request.method} ${parts.slice(0, 2).join("/")}`
    const body = bodyOf(request)
    if (body === undefined) return bad("the body must be a JSON object")
    switch (route) {
      case "GET state":
        return json(stateOf(sim))
      case "GET truth/wallets": {
        const truth = walletTruth(sim, parts[2] ?? "")
        return truth === undefined ? json({ error: "no such wallet" }, 404) : json(truth)
      }
      case "GET truth/markets": {
        const market = sim.made.world.venue.bySlug
          .get(parts[2] ?? "")
          ?.markets.map((index) => sim.made.world.venue.markets[index] as Market)
        return market === undefined
          ? json({ error: "no such event" }, 404)
          : json(market.map((each) => marketTruth(each, sim)))
      }
      case "POST clock": {
        if (body["frozen"] === true) sim.freeze()
        if (body["frozen"] === false) sim.thaw()
        if (body["settle"] === true) sim.settle()
        if (body["advance_ms"] !== undefined) {
          const millis = whole(body["advance_ms"], 0, 86_400_000)
          if (millis === undefined) return bad("advance_ms: a whole number from 0 to 86400000")
          sim.advance(millis)
        }
        return json(stateOf(sim))
      }
      case "POST rate": {
        const rate = whole(body["rate"], 1, 500)
        if (rate === undefined) return bad("rate: a whole number of fills a second from 1 to 500")
        sim.setRate(rate)
        return json(stateOf(sim))
      }
      case "POST reorg": {
        const depth = whole(body["depth"], 1, 300)
        if (depth === undefined) return bad("depth: a whole number of blocks from 1 to 300")
        sim.reorg(depth)
        return json(stateOf(sim))
      }
      default:
        return json({ error: "unknown control; see /" }, 404)
    }
  }
