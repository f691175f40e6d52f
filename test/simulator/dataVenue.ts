import { assert } from "@effect/vitest"
import { dataService } from "#src/simulator/data/dataService.ts"
import { Journal } from "#src/simulator/Journal.ts"
import { Simulation } from "#src/simulator/Simulation.ts"
import type { WireResponse } from "#src/simulator/wire.ts"
import { firstBlock } from "#src/simulator/world/blockClock.ts"
import { Side, TxKind } from "#src/simulator/world/Facts.ts"
import type { ScaleName } from "#src/simulator/world/scale.ts"
import type { Market, Token } from "#src/simulator/world/Venue.ts"

export const genesis = 1_794_700_800_000

export type Json = Readonly<Record<string, unknown>>
export type List = ReadonlyArray<Json>

export interface Page {
  readonly data: List
  readonly pagination: {
    readonly limit: number
    readonly offset: number
    readonly has_more: boolean
    readonly next_cursor: string | null
  }
}

/** A frozen world a minute after its genesis, with its data service. */
export const served = (seed: number, scale: ScaleName = "brief") => {
  const sim = new Simulation(Journal.open(undefined, { seed, genesis, scale }), () => genesis + 60_000)
  sim.freeze()
  sim.setRate(10)
  const service = dataService(sim)
  const send = (target: string, method = "GET"): WireResponse => {
    const { pathname, searchParams } = new URL(target, "http://data")
    return service({ method, path: pathname, query: searchParams, target, headers: {}, body: "" })
  }
  const get = (target: string) => {
    const { status, body } = send(target)
    assert.strictEqual(status, 200, `${target}: ${body.slice(0, 200)}`)
    return JSON.parse(body)
  }
  const page = (target: string): Page => get(target)
  const { world, wallets } = sim.model
  const { facts, venue } = world
  const { books } = venue
  const address = (wallet: number) => defined(wallets[wallet]).address
  const token = (index: number): Token => defined(venue.tokens[index])
  const end = () => facts.block.lowerBound(sim.head - firstBlock + 1)
  // Ensures that a trade is pending.
  const isWaiting = () => facts.kind.get(facts.length - 1) === TxKind.match && end() < facts.length
  for (let step = 0; step < 200 && !isWaiting(); step++) sim.advance(100)
  assert.isTrue(isWaiting())
  return {
    sim,
    service,
    send,
    page,
    wallets,
    facts,
    venue,
    books,
    one: (target: string): Json => get(target),
    list: (target: string): List => get(target),
    errorOf: (target: string): { readonly status: number; readonly error: Json } => {
      const { status, body } = send(target)
      return { status, error: JSON.parse(body) }
    },
    address,
    token,
    market: (index: number): Market => defined(venue.markets[index]),
    /** Transactions below this are in existing blocks. */
    end,
    /** The fills of existing blocks, newest first. */
    shownFills: (): ReadonlyArray<number> => {
      const fills: Array<number> = []
      for (let tx = end() - 1; tx >= 0; tx--) {
        const first = facts.firstFill.get(tx)
        for (let fill = first + facts.fillCount.get(tx) - 1; fill >= first; fill--) fills.push(fill)
      }
      return fills
    },
    /** Equals `keyOf` of its row. */
    keyOfFill: (fill: number): string =>
      [
        sim.chain.transactionHash(facts.txOf(fill)),
        address(facts.maker.get(fill)),
        token(facts.fillToken.get(fill)).id,
        facts.side.get(fill) === Side.buy ? "BUY" : "SELL",
        facts.shares.get(fill) / 1_000_000,
      ].join(),
    /** The wallet with the most fills. */
    maker: most(wallets, ({ index }) => [...facts.fillsByMaker.of(index)].length),
    /** All pages of a v2 list. */
    crawl: (target: string, between: () => void = () => {}): List => {
      const rows: Array<Json> = []
      let cursor: string | null = null
      do {
        const { data, pagination }: Page = page(cursor === null ? target : `${target}&cursor=${cursor}`)
        assert.strictEqual(pagination.has_more, pagination.next_cursor !== null)
        rows.push(...data)
        cursor = pagination.next_cursor
        between()
      } while (cursor !== null)
      return rows
    },
  }
}

export const defined = <A>(value: A | undefined, what = "value"): A => {
  assert.isDefined(value, what)
  return value as A
}

export const numberIn = (row: Json, name: string): number => {
  assert.isNumber(row[name], name)
  return Number(row[name])
}

export const textIn = (row: Json, name: string): string => {
  assert.isString(row[name], name)
  return String(row[name])
}

/** Identifies a fill. */
export const keyOf = (row: Json): string =>
  [row["transactionHash"], row["proxyWallet"], row["asset"], row["side"], row["size"]].join()

export const tradeFields =
  "proxyWallet side asset conditionId size price timestamp title slug icon eventSlug outcome outcomeIndex name pseudonym bio profileImage profileImageOptimized transactionHash"

/** The item with the largest value. */
export const most = <A>(items: Iterable<A>, by: (item: A) => number): A =>
  defined([...items].sort((a, b) => by(b) - by(a))[0])
