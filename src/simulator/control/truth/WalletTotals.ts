import { firstBlock } from "../../world/blockClock.ts"
import { floats, ints, RowsByKey } from "../../world/columns.ts"
import { Side, TxKind } from "../../world/Facts.ts"
import type { Micro, Millis } from "../../world/model.ts"
import type { World } from "../../world/World.ts"

export interface Totals {
  readonly fills: number
  readonly bought_usd: Micro
  readonly sold_usd: Micro
  readonly volume: Micro
  readonly deposits: Micro
  readonly withdrawals: Micro
}

/** Running totals of each wallet. */
export class WalletTotals {
  readonly #world: World
  readonly #fills = ints()
  readonly #bought = floats()
  readonly #sold = floats()
  readonly #deposits = floats()
  readonly #withdrawals = floats()
  #tx = 0
  #fill = 0

  constructor(world: World, wallets: number) {
    this.#world = world
    for (const column of [this.#fills, this.#bought, this.#sold, this.#deposits, this.#withdrawals]) {
      for (let i = 0; i < wallets; i++) column.push(0)
    }
  }

  of(wallet: number): Totals {
    this.#catchUp()
    const [bought, sold] = [this.#bought.get(wallet), this.#sold.get(wallet)]
    return {
      fills: this.#fills.get(wallet),
      bought_usd: bought,
      sold_usd: sold,
      volume: bought + sold,
      deposits: this.#deposits.get(wallet),
      withdrawals: this.#withdrawals.get(wallet),
    }
  }

  #catchUp(): void {
    const { facts } = this.#world
    for (; this.#tx < facts.length; this.#tx++) {
      const kind = facts.kind.get(this.#tx)
      const [wallet, amount] = [facts.wallet.get(this.#tx), facts.amount.get(this.#tx)]
      if (kind === TxKind.wrap) this.#deposits.add(wallet, amount)
      if (kind === TxKind.unwrap) this.#withdrawals.add(wallet, amount)
    }
    for (; this.#fill < facts.fills; this.#fill++) {
      const wallet = facts.maker.get(this.#fill)
      const column = facts.side.get(this.#fill) === Side.buy ? this.#bought : this.#sold
      this.#fills.add(wallet, 1)
      column.add(wallet, facts.usd.get(this.#fill))
    }
  }
}

export interface RealizedEvent {
  readonly block: number
  readonly at: Millis
  readonly amount: Micro
}

/** Realized gains and losses, indexed by position. */
export class RealizedEvents {
  readonly #world: World
  readonly #byPosition = new RowsByKey()
  #done = 0

  constructor(world: World) {
    this.#world = world
  }

  /** In order of time; dated by block, which a reorganisation may change. */
  of(position: number): ReadonlyArray<RealizedEvent> {
    const { facts, clock, venue } = this.#world
    const { eventPosition, eventTx, eventAmount } = venue.books
    for (; this.#done < eventPosition.length; this.#done++) this.#byPosition.add(eventPosition.get(this.#done))
    const events: Array<RealizedEvent> = []
    for (const event of this.#byPosition.of(position)) {
      const block = facts.block.get(eventTx.get(event)) + firstBlock
      events.push({ block, at: clock.timestampOf(block) * 1000, amount: eventAmount.get(event) })
    }
    return events.reverse()
  }
}
