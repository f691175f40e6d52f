import { type Fact, type Facts, inOrder } from "./facts.ts"
import { type Data, dollars, placed, type VenueNames } from "./names.ts"
import { isMarketWanted, nameOf, once, type Truth } from "./stateless.ts"

interface Moving {
  readonly fact: Fact
  readonly moves: ReadonlyArray<readonly [wallet: string, token: string, delta: bigint]>
  readonly resolved: ReadonlyArray<string>
}

interface Change {
  readonly fact: Fact
  readonly wallet: string
  readonly token: string
  readonly from: string
  readonly to: string
  readonly before: bigint
  readonly after: bigint
}

const sources: Readonly<Record<string, string>> = {
  split: "split",
  merge: "merge",
  redemption: "redemption",
  resolution: "resolution",
}

/** Changes of shares by every fact, in chain order. */
const movingOf = (facts: Facts, names: VenueNames): ReadonlyArray<Moving> => {
  const moving = (fact: Fact, ...moves: Moving["moves"]): Moving => ({ fact, moves, resolved: [] })
  const pair = (condition: string, wallet: string, delta: bigint) =>
    names.tokensOf(condition).map((token) => [wallet, token, delta] as const)
  return [
    ...facts.fills.map((fill) => {
      const got = fill.fee_in_shares ? fill.shares - fill.fee : fill.shares
      return moving(fill, [fill.maker, fill.token, fill.side === 0 ? got : -fill.shares])
    }),
    ...facts.splits.map((each) => moving(each, ...pair(each.condition, each.wallet, each.amount))),
    ...facts.merges.map((each) => moving(each, ...pair(each.condition, each.wallet, -each.amount))),
    ...facts.redemptions.map((each) =>
      moving(each, ...each.tokens.map((token, i) => [each.wallet, token, -(each.shares[i] ?? 0n)] as const)),
    ),
    ...facts.conversions.map((each) =>
      moving(
        each,
        ...each.nos.map((token) => [each.wallet, token, -each.amount] as const),
        ...each.yeses.map((token) => [each.wallet, token, each.amount] as const),
      ),
    ),
    ...facts.transfers.map((each) =>
      moving(each, [each.sender, each.token, -each.shares], [each.receiver, each.token, each.shares]),
    ),
    ...facts.refunds.flatMap((each) => (each.in_shares ? [moving(each, [each.wallet, each.token, each.amount])] : [])),
    ...facts.resolutions.map((fact) => ({ fact, moves: [], resolved: names.tokensOf(fact.condition) })),
  ].toSorted((a, b) => inOrder(a.fact, b.fact))
}

/** Status changes of positions from the first fact on. */
const changesOf = (facts: Facts, names: VenueNames): ReadonlyArray<Change> => {
  const held = new Map<string, { readonly shares: bigint; readonly status: string }>()
  const holders = new Map<string, Set<string>>()
  const resolved = new Set<string>()
  const changes: Array<Change> = []
  const touch = (fact: Fact, wallet: string, token: string, delta: bigint) => {
    const key = `${wallet} ${token}`
    const { shares: before, status: from } = held.get(key) ?? { shares: 0n, status: "none" }
    const after = before + delta
    const over = fact.kind === "redemption" ? "redeemed" : "closed"
    const without = from === "open" || from === "redeemable" ? over : from
    const to = after > 0n ? (resolved.has(token) ? "redeemable" : "open") : without
    held.set(key, { shares: after, status: to })
    holders.set(token, (holders.get(token) ?? new Set()).add(wallet))
    if (to !== from) changes.push({ fact, wallet, token, from, to, before, after })
  }
  for (const { fact, moves, resolved: decided } of movingOf(facts, names)) {
    for (const [wallet, token, delta] of moves) touch(fact, wallet, token, delta)
    for (const token of decided) {
      resolved.add(token)
      for (const wallet of holders.get(token) ?? []) touch(fact, wallet, token, 0n)
    }
  }
  return changes
}

export const positionTruth = (names: VenueNames): Truth => {
  const worked = new Map<Facts, ReadonlyArray<Change>>()
  const changesIn = (facts: Facts) => {
    const changes = worked.get(facts) ?? changesOf(facts, names)
    worked.set(facts, changes)
    return changes
  }
  const dataOf = ({ fact, wallet, token, from, to, before, after }: Change): Data => {
    const delta = after - before
    return {
      wallet,
      token_id: token,
      from_status: from,
      to_status: to,
      previous_amount: dollars(before),
      new_amount: dollars(after),
      delta_amount: dollars(delta),
      transfer_amount: dollars(delta < 0n ? -delta : delta),
      source: sources[fact.kind] ?? "erc1155_transfer",
      raw_event_type: fact.kind,
      source_event_id: `${fact.tx}_${fact.log_index}`,
      ...names.aboutToken(token),
      ...placed(fact),
      tags: names.tagsOf(names.marketOfToken(token)),
      timestamp: fact.at.toISOString(),
    }
  }
  return (epochs, filters) =>
    once(
      epochs.flatMap(({ facts, from }) =>
        changesIn(facts)
          .filter(
            ({ fact, wallet, token, from: was, to }) =>
              fact.block > from &&
              (filters.wallet_addresses ?? []).includes(wallet) &&
              isMarketWanted(names, filters, token) &&
              (filters.status_from ?? was) === was &&
              (filters.status_to ?? to) === to,
          )
          .map((change) => {
            const { fact, wallet, token, from: was, to } = change
            return { name: `${nameOf(fact)} ${wallet} ${token} ${was} ${to}`, data: dataOf(change) }
          }),
      ),
    )
}
