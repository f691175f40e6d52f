import { Effect } from "effect"
import { type Dictionary, tokenOutcomes } from "#src/dictionary/Dictionary.ts"
import type { Fact, TokenPair } from "#src/domain/Fact.ts"
import { comboActsOf } from "./comboActs.ts"

/** Ledger ids of everything that some facts mention. */
export interface IdLookup<Id = string> {
  readonly wallet: (id: Id) => number
  readonly token: (id: Id) => number
  readonly condition: (id: Id) => number
  readonly builder: (id: Id) => number
}

const same = (id: number) => id

/** For facts that already have ledger ids. */
export const storedIds: IdLookup<number> = { wallet: same, token: same, condition: same, builder: same }

interface Names {
  readonly wallets: Set<string>
  readonly tokens: Set<string>
  readonly conditions: Set<string>
  readonly builders: Set<string>
}

const collectNames = (fact: Fact, { wallets, tokens, conditions, builders }: Names): void => {
  switch (fact.kind) {
    case "fill":
      wallets.add(fact.maker)
      if (fact.taker !== undefined) wallets.add(fact.taker)
      tokens.add(fact.token)
      if (fact.builder !== undefined) builders.add(fact.builder)
      return
    case "fee_charge":
      wallets.add(fact.receiver)
      tokens.add(fact.token)
      return
    case "fee_refund":
    case "stock_change":
      wallets.add(fact.wallet)
      tokens.add(fact.token)
      return
    case "split":
    case "merge":
      wallets.add(fact.wallet)
      conditions.add(fact.condition)
      for (const token of fact.tokens) tokens.add(token)
      return
    case "redemption":
      wallets.add(fact.wallet)
      conditions.add(fact.condition)
      for (const { token } of fact.redeemed) tokens.add(token)
      return
    case "conversion":
      wallets.add(fact.wallet)
      for (const token of [...fact.nos, ...fact.yeses]) tokens.add(token)
      return
    case "transfer":
      wallets.add(fact.sender)
      wallets.add(fact.receiver)
      tokens.add(fact.token)
      return
    case "resolution":
    case "combo":
      conditions.add(fact.condition)
      return
    case "condition_rename":
      conditions.add(fact.condition)
      conditions.add(fact.legacy)
      return
    case "collateral_flow":
    case "maker_payment":
      wallets.add(fact.wallet)
  }
}

const lookup = (ids: ReadonlyMap<string, number>) => (name: string) => {
  const id = ids.get(name)
  if (id === undefined) throw new Error(`${name} has no id`)
  return id
}

/** Reads or creates the ids of all names in facts and pairs. */
export const lookupIds = Effect.fnUntraced(function* (
  dictionary: Dictionary["Service"],
  facts: ReadonlyArray<Fact>,
  pairs: ReadonlyArray<TokenPair>,
) {
  const names: Names = { wallets: new Set(), tokens: new Set(), conditions: new Set(), builders: new Set() }
  for (const fact of facts) collectNames(fact, names)
  for (const { condition } of comboActsOf(facts)) names.conditions.add(condition)
  for (const { condition, tokens } of pairs) {
    names.conditions.add(condition)
    for (const token of tokens) names.tokens.add(token)
  }
  const condition = lookup(yield* dictionary.conditions(names.conditions))
  const outcomes = tokenOutcomes(pairs.map((pair) => [condition(pair.condition), pair.tokens]))
  const ids: IdLookup = {
    condition,
    wallet: lookup(yield* dictionary.wallets(names.wallets)),
    token: lookup(yield* dictionary.tokens(names.tokens, outcomes)),
    builder: lookup(yield* dictionary.builders(names.builders)),
  }
  return ids
})
