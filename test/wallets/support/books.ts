import { Effect } from "effect"
import { isCombo } from "#src/domain/comboIds.ts"
import { exchangeOf } from "#src/simulator/chain/contracts.ts"
import { balanceAt } from "#src/simulator/chain/rpc/balances.ts"
import { RealizedEvents } from "#src/simulator/control/truth/WalletTotals.ts"
import type { Simulation } from "#src/simulator/Simulation.ts"
import { type Expected, expectedPositions } from "#test/positions/support/expected.ts"

export interface Gain {
  /** Unix seconds. */
  readonly at: number
  readonly amount: bigint
}

/** A position of the venue's books, with its gains and losses and its trades. */
export interface Booked extends Expected {
  readonly gains: ReadonlyArray<Gain>
  readonly volume: bigint
}

/** All positions of a settled world that the ledger has caught up with, by wallet. */
export const bookedPositions = Effect.fnUntraced(function* (simulation: Simulation) {
  const { facts, venue } = simulation.model.world
  const expected = yield* expectedPositions(simulation)
  const volumes = new Map<number, bigint>()
  for (let fill = 0; fill < facts.fills; fill++) {
    const position = venue.books.find(facts.maker.get(fill), facts.fillToken.get(fill))
    volumes.set(position, (volumes.get(position) ?? 0n) + BigInt(facts.usd.get(fill)))
  }
  const realized = new RealizedEvents(simulation.model.world)
  const booked = expected.map((position, i): Booked => {
    const gains = realized.of(i).map(({ at, amount }) => ({ at: at / 1000, amount: BigInt(amount) }))
    return { ...position, gains, volume: volumes.get(i) ?? 0n }
  })
  return Map.groupBy(booked, ({ wallet }) => wallet)
})

const usd = (amount: bigint) => Number(amount) / 1e6
const total = <A>(all: ReadonlyArray<A>, read: (each: A) => bigint | number) =>
  all.reduce((sum, each) => sum + BigInt(read(each)), 0n)

/** Gains and losses as an answer shows their sums. */
export const gainsShown = (gains: ReadonlyArray<Gain>) => {
  const won = gains.filter(({ amount }) => amount > 0n)
  const lost = gains.filter(({ amount }) => amount < 0n)
  return {
    realized_pnl: usd(total(gains, ({ amount }) => amount)),
    gross_profit: usd(total(won, ({ amount }) => amount)),
    gross_loss: usd(-total(lost, ({ amount }) => amount)),
    wins: won.length,
    losses: lost.length,
  }
}

/** A wallet's positions as its summary shows them. */
export const summaryShown = (positions: ReadonlyArray<Booked>) => {
  const open = positions.filter(({ isOpen }) => isOpen)
  const realized = total(positions, (position) => position.realized)
  const unrealized = total(open, (position) => position.unrealized)
  return {
    net_realized_pnl: usd(realized),
    ...gainsShown(positions.flatMap(({ gains }) => gains)),
    unrealized_pnl: usd(unrealized),
    total_pnl: usd(realized + unrealized),
    position_count: positions.length,
    open_positions: open.length,
    total_volume: usd(total(positions, ({ volume }) => volume)),
    basis: "known",
  }
}

/** Positions that had shares on the chain of an undecided outcome just before a second. */
export const openBefore = (simulation: Simulation, positions: ReadonlyArray<Booked>, second: number) => {
  const { clock } = simulation.model.world
  const block = Math.min(simulation.head, clock.blockAt(second * 1000 - 1))
  return positions.filter(({ wallet, token, resolvedAt }) => {
    const isUndecided = resolvedAt === null || resolvedAt >= second
    const { tokens } = exchangeOf(token.market, true)
    return isUndecided && balanceAt(simulation, block, tokens, wallet, BigInt(token.id)) > 0n
  })
}

export const combosOf = (positions: ReadonlyArray<Booked>) => positions.filter(({ token }) => isCombo(token.hex))
