import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { conditionOfPosition } from "#src/domain/conditionOfPosition.ts"
import type { ChainPosition, Fact, Resolution } from "#src/domain/Fact.ts"
import type { IdLookup } from "../idLookup.ts"
import type { PreparedBatch } from "../model.ts"
import * as OutcomeStore from "./OutcomeStore.ts"
import { type DecidedCombo, type KnownCombo, Outcomes } from "./Outcomes.ts"

type Trigger = Extract<Fact, { readonly kind: "resolution" | "combo" | "condition_rename" }>

const isTrigger = (fact: Fact): fact is Trigger =>
  fact.kind === "resolution" || fact.kind === "combo" || fact.kind === "condition_rename"

/** Resolutions of combos come after all others of their log: a neg-risk event has fewer conditions than this. */
export const firstComboSub = 65_536

/** The log that decides a combo also dates its resolution. */
export const comboResolution = ({ block, logIndex, at, tx }: ChainPosition, combo: DecidedCombo): Resolution => {
  const { id, condition, payouts } = combo
  return { kind: "resolution", block, logIndex, at, tx, sub: firstComboSub + id, condition, payouts }
}

/** What the ledger knows about the conditions and combos that these facts concern. */
const load = Effect.fnUntraced(function* (sql: SqlClient, triggers: ReadonlyArray<Trigger>, ids: IdLookup) {
  const resolved = triggers.flatMap((fact) => (fact.kind === "resolution" ? [fact.condition] : []))
  const renamed = triggers.flatMap((fact) => (fact.kind === "condition_rename" ? [fact] : []))
  const newer = resolved.length === 0 ? [] : yield* OutcomeStore.newerNames(sql, resolved.map(ids.condition))
  const legs = new Set([...resolved, ...[...renamed, ...newer].map(({ condition }) => condition)])
  const combos = legs.size === 0 ? [] : yield* OutcomeStore.combosOn(sql, legs)
  const prepared = triggers.flatMap((fact) => (fact.kind === "combo" ? [fact] : []))
  const conditions = new Set([...combos, ...prepared].flatMap((combo) => combo.legs.map(conditionOfPosition)))
  const older = conditions.size === 0 ? [] : yield* OutcomeStore.olderNames(sql, conditions)
  for (const condition of resolved) conditions.add(condition)
  for (const { legacy } of [...older, ...renamed]) conditions.add(legacy)
  for (const { condition } of [...combos, ...prepared]) conditions.add(condition)
  const results = yield* OutcomeStore.resultsOf(sql, conditions)

  const outcomes = new Outcomes()
  for (const { condition, payouts } of results) outcomes.resolve(condition, payouts)
  for (const { condition, legacy } of [...newer, ...older]) outcomes.rename(condition, legacy)
  for (const combo of combos) outcomes.add(combo)
  // What was decided before is stored, unless the ledger is older than the rule; `presage rebuild` adds it then.
  outcomes.takeDecided()
  return { outcomes, combos }
})

const withCombos = (ids: IdLookup, combos: ReadonlyArray<KnownCombo>): IdLookup => {
  const known = new Map(combos.map(({ condition, id }) => [condition, id]))
  return { ...ids, condition: (name) => known.get(name) ?? ids.condition(name) }
}

/** Leaves out repeated resolutions and adds those of combos after the log that decides them. */
export const deriveFacts = (facts: ReadonlyArray<Fact>, outcomes: Outcomes, { condition }: IdLookup) => {
  const all: Array<Fact> = []
  facts.forEach((fact, i) => {
    if (outcomes.apply(fact, condition)) all.push(fact)
    const next = facts[i + 1]
    if (next?.block === fact.block && next.logIndex === fact.logIndex) return
    for (const combo of outcomes.takeDecided()) all.push(comboResolution(fact, combo))
  })
  return all
}

/** Adds the resolutions that follow from the facts of a batch and from what the ledger knows before it. */
export const deriveResolutions = Effect.fnUntraced(function* (sql: SqlClient, prepared: PreparedBatch) {
  const { batch } = prepared
  const triggers = batch.facts.filter(isTrigger)
  if (triggers.length === 0) return prepared
  const { outcomes, combos } = yield* load(sql, triggers, prepared.ids)
  const ids = withCombos(prepared.ids, combos)
  return { ...prepared, ids, batch: { ...batch, facts: deriveFacts(batch.facts, outcomes, ids) } }
})
