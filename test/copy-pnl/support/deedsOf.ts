import type { Simulation } from "#src/simulator/Simulation.ts"
import { firstBlock } from "#src/simulator/world/blockClock.ts"
import { TxKind, Side } from "#src/simulator/world/Facts.ts"
import type { Deed } from "./slowCopyPnl.ts"

const bitsIn = (set: number) => [...set.toString(2)].filter((bit) => bit === "1").length

/** What every wallet did according to the venue's own books, by its address. */
export const deedsOf = ({ model }: Simulation): ReadonlyMap<string, ReadonlyArray<Deed>> => {
  const { facts, clock } = model.world
  const deeds = new Map<string, Array<Deed>>()
  const note = (wallet: number, deed: Deed) => {
    const address = model.wallets[wallet]?.address ?? ""
    deeds.set(address, [...(deeds.get(address) ?? []), deed])
  }
  const timeOf = (act: number) => clock.timestampOf(facts.block.get(act) + firstBlock) * 1000
  for (let fill = 0; fill < facts.fills; fill++) {
    note(facts.maker.get(fill), {
      kind: facts.side.get(fill) === Side.buy ? "buy" : "sell",
      at: timeOf(facts.txOf(fill)),
      shares: BigInt(facts.shares.get(fill)),
      usd: BigInt(facts.usd.get(fill)),
    })
  }
  for (let act = 0; act < facts.length; act++) {
    const [kind, wallet, at] = [facts.kind.get(act), facts.wallet.get(act), timeOf(act)]
    const amount = BigInt(facts.amount.get(act))
    if (kind === TxKind.split) note(wallet, { kind: "split", at, usd: amount })
    if (kind === TxKind.merge) note(wallet, { kind: "merge", at, usd: amount })
    if (kind === TxKind.redeem) note(wallet, { kind: "redemption", at, usd: BigInt(facts.extra.get(act)) })
    // A NO of each of several questions: all of them but one must come true.
    if (kind === TxKind.convert)
      note(wallet, { kind: "conversion", at, usd: amount * BigInt(bitsIn(facts.extra.get(act)) - 1) })
  }
  return deeds
}
