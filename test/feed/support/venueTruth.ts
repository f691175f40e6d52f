import { address } from "#src/simulator/chain/contracts.ts"
import type { Simulation } from "#src/simulator/Simulation.ts"
import { firstBlock } from "#src/simulator/world/blockClock.ts"
import { Side, TxKind } from "#src/simulator/world/Facts.ts"
import { factKindOf, stepsOf } from "#test/support/comboSteps.ts"

const sixDecimals = (amount: number) => String(Number(`${BigInt(amount)}e-6`))

/** Everything that happened according to the venue, in the feed's format. */
export const venueTruth = ({ model, chain, logs }: Simulation) => {
  const { facts, venue } = model.world
  const wallet = (index: number) => model.wallets[index]?.address ?? ""
  const token = (index: number) => venue.tokens[index]?.id ?? ""
  const market = (act: number) => venue.markets[facts.market.get(act)]
  const condition = (act: number) => market(act)?.conditionId ?? ""
  const combosDecidedBy = (act: number) => venue.combosDecidedBy(act).map(({ conditionId }) => conditionId)
  const acts = (...kinds: ReadonlyArray<number>) =>
    Array.from({ length: facts.length }, (_, act) => act).filter((act) => kinds.includes(facts.kind.get(act)))
  const tx = (act: number) => chain.transactionHash(act)
  const amount = (act: number) => sixDecimals(facts.amount.get(act))
  const lines = (some: ReadonlyArray<number>, line: (act: number) => string) => some.map(line).toSorted()

  const fillLines = (act: number): ReadonlyArray<string> =>
    Array.from({ length: facts.fillCount.get(act) }, (_, place) => {
      const fill = facts.firstFill.get(act) + place
      const isBuy = facts.side.get(fill) === Side.buy
      const [usd, shares] = [facts.usd.get(fill), facts.shares.get(fill)]
      const taker = facts.taker.get(fill)
      return [
        tx(act),
        wallet(facts.maker.get(fill)),
        taker < 0 ? logs.exchangeOf(act).address : wallet(taker),
        token(facts.fillToken.get(fill)),
        isBuy ? "BUY" : "SELL",
        ...(isBuy ? [usd, shares] : [shares, usd]),
      ].join(" ")
    })

  const pairLines = (kind: number) =>
    acts(kind).map((act) => `${tx(act)} ${wallet(facts.wallet.get(act))} ${condition(act)} ${amount(act)}`)
  const stepLines = (kind: "split" | "merge" | "conversion") =>
    acts(TxKind.combo).flatMap((act) =>
      stepsOf(facts, act)
        .filter((step) => factKindOf(step) === kind)
        .map((step) => {
          const subject = kind === "conversion" ? "null 0x0" : venue.markets[step.market]?.conditionId
          return `${tx(act)} ${wallet(facts.wallet.get(act))} ${subject} ${sixDecimals(step.amount)}`
        }),
    )

  return {
    acts,
    tx,
    market,
    token,
    wallet,
    fills: acts(TxKind.match).flatMap(fillLines).toSorted(),
    fillsOf: (act: number) => fillLines(act).toSorted(),
    /** What wallets allowed from a block on. */
    approvalsFrom: (block: number) =>
      acts(TxKind.approve)
        .filter((act) => facts.block.get(act) + firstBlock >= block)
        .flatMap((act) => {
          const of = (type: string, operator: string, role: string) =>
            [tx(act), type, wallet(facts.wallet.get(act)), operator, "true", "null", role].join(" ")
          return [
            of("collateral_allowance", address.exchange3, "exchange"),
            of("position_manager_approval_for_all", address.exchange3, "exchange"),
            of("position_manager_approval_for_all", address.autoRedeemer, "auto_redeemer"),
          ]
        })
        .toSorted(),
    splits: [...pairLines(TxKind.split), ...stepLines("split")].toSorted(),
    merges: [...pairLines(TxKind.merge), ...stepLines("merge")].toSorted(),
    conversions: [
      ...acts(TxKind.convert).map(
        (act) =>
          `${tx(act)} ${wallet(facts.wallet.get(act))} ${market(act)?.event.negRiskMarketId} 0x${BigInt(facts.extra.get(act)).toString(16)} ${amount(act)}`,
      ),
      ...stepLines("conversion"),
    ].toSorted(),
    transfers: lines(
      acts(TxKind.transfer),
      (act) =>
        `${tx(act)} ${wallet(facts.wallet.get(act))} ${wallet(facts.extra.get(act))} ${token(facts.token.get(act))} ${amount(act)} single`,
    ),
    resolutions: acts(TxKind.resolve)
      .flatMap((act) => [condition(act), ...combosDecidedBy(act)].map((id) => `${tx(act)} ${id}`))
      .toSorted(),
    /** The initial collateral moved without the venue's contracts. */
    flows: lines(
      acts(TxKind.wrap, TxKind.unwrap, TxKind.migrate).filter((act) =>
        logs.logsOf(act).some((log) => log.address === address.pusd),
      ),
      (act) => `${tx(act)} ${facts.kind.get(act) === TxKind.unwrap ? "withdrawal" : "deposit"} ${amount(act)}`,
    ),
    payouts: acts(TxKind.redeem).reduce((sum, act) => sum + facts.extra.get(act), 0),
  }
}
