import type { Simulation } from "#src/simulator/Simulation.ts"
import { firstBlock } from "#src/simulator/world/blockClock.ts"
import { Side, TxKind } from "#src/simulator/world/Facts.ts"
import { factKindOf, stepsOf } from "#test/support/comboSteps.ts"
import type { WalletAction } from "./referenceCopyPnl.ts"

const bitsIn = (set: number) => [...set.toString(2)].filter((bit) => bit === "1").length

/** Actions of every wallet in the venue's books, by address. */
export const actionsOf = ({ model }: Simulation): ReadonlyMap<string, ReadonlyArray<WalletAction>> => {
  const { facts, clock } = model.world
  const actions = new Map<string, Array<WalletAction>>()
  const note = (wallet: number, action: WalletAction) => {
    const address = model.wallets[wallet]?.address ?? ""
    actions.set(address, [...(actions.get(address) ?? []), action])
  }
  const timeOf = (tx: number) => clock.timestampOf(facts.block.get(tx) + firstBlock) * 1000
  for (let fill = 0; fill < facts.fills; fill++) {
    note(facts.maker.get(fill), {
      kind: facts.side.get(fill) === Side.buy ? "buy" : "sell",
      at: timeOf(facts.txOf(fill)),
      shares: BigInt(facts.shares.get(fill)),
      usd: BigInt(facts.usd.get(fill)),
    })
  }
  for (let tx = 0; tx < facts.length; tx++) {
    const [kind, wallet, at] = [facts.kind.get(tx), facts.wallet.get(tx), timeOf(tx)]
    const amount = BigInt(facts.amount.get(tx))
    if (kind === TxKind.split) note(wallet, { kind: "split", at, usd: amount })
    if (kind === TxKind.merge) note(wallet, { kind: "merge", at, usd: amount })
    if (kind === TxKind.redeem) note(wallet, { kind: "redemption", at, usd: BigInt(facts.extra.get(tx)) })
    for (const step of stepsOf(facts, tx)) {
      const asFact = factKindOf(step)
      note(wallet, { kind: asFact, at, usd: BigInt(asFact === "conversion" ? step.paid : step.amount) })
    }
    // A NO of each of several questions: all but one of them pay out.
    if (kind === TxKind.convert)
      note(wallet, { kind: "conversion", at, usd: amount * BigInt(bitsIn(facts.extra.get(tx)) - 1) })
  }
  return actions
}
