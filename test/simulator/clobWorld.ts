import { assert } from "@effect/vitest"
import { clobService } from "#src/simulator/clob/clobService.ts"
import { Journal } from "#src/simulator/Journal.ts"
import { Simulation } from "#src/simulator/Simulation.ts"
import type { WireResponse } from "#src/simulator/wire.ts"
import { TxKind } from "#src/simulator/world/Facts.ts"
import type { ScaleName } from "#src/simulator/world/scale.ts"
import type { Market, Token } from "#src/simulator/world/Venue.ts"

export const genesis = 1_794_700_800_000

export type Json = Readonly<Record<string, unknown>>

export const defined = <A>(value: A | undefined, what = "value"): A => {
  assert.isDefined(value, what)
  return value as A
}

/** A match on chain, computed without the service's code. */
export interface Match {
  readonly tx: number
  readonly at: number
  readonly token: number
  readonly buys: boolean
  /** Price of the last maker order that was filled. */
  readonly price: number
  readonly shares: number
}

/** A frozen world a minute after its genesis, with its CLOB service. */
export const served = (seed: number, scale: ScaleName = "brief") => {
  const sim = new Simulation(Journal.open(undefined, { seed, genesis, scale }), () => genesis + 60_000)
  sim.freeze()
  const service = clobService(sim)
  const send = (target: string, method = "GET", body = ""): WireResponse => {
    const { pathname, searchParams } = new URL(target, "http://clob")
    return service({ method, path: pathname, query: searchParams, target, headers: {}, body })
  }
  const parsed = ({ status, body }: WireResponse, target: string) => {
    assert.strictEqual(status, 200, `${target}: ${body.slice(0, 200)}`)
    return JSON.parse(body)
  }
  const get = (target: string) => parsed(send(target), target)
  const post = (target: string, body: unknown) => parsed(send(target, "POST", JSON.stringify(body)), target)

  const { world } = sim.model
  const { venue, facts } = world
  const listed = () => venue.markets.filter(({ legs }) => legs === undefined)
  const open = () => listed().filter(({ payouts, plan }) => payouts === undefined && plan.endsAt > sim.now())
  const tokensOf = (market: Market): readonly [Token, Token] => [
    defined(venue.tokens[market.tokens[0]]),
    defined(venue.tokens[market.tokens[1]]),
  ]
  const matchOf = (tx: number): Match => {
    const own = facts.firstFill.get(tx) + facts.fillCount.get(tx) - 1
    assert.strictEqual(facts.taker.get(own), -1, "the taker's own fill is the last")
    const price = facts.usd.get(own - 1) / facts.shares.get(own - 1)
    const isSame = facts.fillToken.get(own - 1) === facts.fillToken.get(own)
    return {
      tx,
      at: facts.at.get(tx),
      token: facts.fillToken.get(own),
      buys: facts.side.get(own) === 0,
      price: Math.round((isSame ? price : 1 - price) * 1000) / 1000,
      shares: facts.shares.get(own) / 1e6,
    }
  }
  const byMarket = new Map<number, Array<Match>>()
  let counted = 0
  const matches = (market: Market): ReadonlyArray<Match> => {
    for (; counted < facts.length; counted++) {
      if (facts.kind.get(counted) !== TxKind.match) continue
      const index = facts.market.get(counted)
      byMarket.set(index, (byMarket.get(index) ?? []).concat(matchOf(counted)))
    }
    return byMarket.get(market.index) ?? []
  }
  /** The open market with the most trades. */
  const busiest = (): Market => defined(open().sort((a, b) => b.trades - a.trades)[0])
  return { sim, world, venue, facts, send, get, post, listed, open, tokensOf, matchOf, matches, busiest }
}
