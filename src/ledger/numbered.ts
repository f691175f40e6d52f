import { Effect } from "effect"
import { type Dictionary, homesIn } from "#src/dictionary/Dictionary.ts"
import type { Fact, TokenPair } from "#src/domain/Fact.ts"

/** Numbers of the names that a batch mentions; every one of them is there. */
export interface Numbers {
  readonly wallet: (name: string) => number
  readonly token: (name: string) => number
  readonly condition: (name: string) => number
  readonly builder: (name: string) => number
}

interface Names {
  readonly wallets: Set<string>
  readonly tokens: Set<string>
  readonly conditions: Set<string>
  readonly builders: Set<string>
}

const noteFact = (fact: Fact, { wallets, tokens, conditions, builders }: Names): void => {
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
      for (const { token } of fact.handedIn) tokens.add(token)
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
      wallets.add(fact.wallet)
  }
}

const lookup = (numbers: ReadonlyMap<string, number>) => (name: string) => {
  const number = numbers.get(name)
  if (number === undefined) throw new Error(`${name} has no number`)
  return number
}

/** Looks up or makes the numbers of everything that is mentioned. */
export const numbersFor = Effect.fnUntraced(function* (
  dictionary: Dictionary["Service"],
  facts: ReadonlyArray<Fact>,
  pairs: ReadonlyArray<TokenPair>,
) {
  const names: Names = { wallets: new Set(), tokens: new Set(), conditions: new Set(), builders: new Set() }
  for (const fact of facts) noteFact(fact, names)
  for (const { condition, tokens } of pairs) {
    names.conditions.add(condition)
    for (const token of tokens) names.tokens.add(token)
  }
  const condition = lookup(yield* dictionary.conditions(names.conditions))
  const homes = homesIn(pairs.map((pair) => [condition(pair.condition), pair.tokens]))
  const numbers: Numbers = {
    condition,
    wallet: lookup(yield* dictionary.wallets(names.wallets)),
    token: lookup(yield* dictionary.tokens(names.tokens, homes)),
    builder: lookup(yield* dictionary.builders(names.builders)),
  }
  return numbers
})
