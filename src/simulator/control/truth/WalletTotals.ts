import { floats, ints } from "../../world/columns.ts"
import { Act, Side } from "../../world/Facts.ts"
import type { Micro } from "../../world/model.ts"
import type { World } from "../../world/World.ts"

export interface Totals {
  readonly fills: number
  readonly bought_usd: Micro
  readonly sold_usd: Micro
  readonly volume: Micro
  readonly deposits: Micro
  readonly withdrawals: Micro
}

/** What each wallet has done so far, added up as the world goes on. */
export class WalletTotals {
  readonly #world: World
  readonly #fills = ints()
  readonly #bought = floats()
  readonly #sold = floats()
  readonly #deposits = floats()
  readonly #withdrawals = floats()
  #act = 0
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
    for (; this.#act < facts.length; this.#act++) {
      const kind = facts.kind.get(this.#act)
      const [wallet, amount] = [facts.wallet.get(this.#act), facts.amount.get(this.#act)]
      if (kind === Act.wrap) this.#deposits.add(wallet, amount)
      if (kind === Act.unwrap) this.#withdrawals.add(wallet, amount)
    }
    for (; this.#fill < facts.fills; this.#fill++) {
      const wallet = facts.maker.get(this.#fill)
      const column = facts.side.get(this.#fill) === Side.buy ? this.#bought : this.#sold
      this.#fills.add(wallet, 1)
      column.add(wallet, facts.usd.get(this.#fill))
    }
  }
}
