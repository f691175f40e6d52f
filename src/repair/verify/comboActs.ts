import { Effect } from "effect"
import { comboCode } from "#src/domain/ComboKind.ts"
import { isComboSql } from "#src/feed/combos/positionId.ts"
import { check, type VerifySnapshot } from "./Check.ts"

/** A fact of a combo and the row that stands for it in lists, by place. */
const facts = `
  select f.block, f.log_index, 0 as sub, case when f.taker = 0 then ${comboCode("own_execution")} else ${comboCode("execution")} end as kind
  from fill f where f.token in (select token from combo_token)
  union all select block, log_index, 0, ${comboCode("split")} from split where condition in (select condition from combo_condition)
  union all select block, log_index, 0, ${comboCode("merge")} from merge where condition in (select condition from combo_condition)
  union all select block, log_index, 0, ${comboCode("redeem")} from redemption where condition in (select condition from combo_condition)
  union all select block, log_index, sub, ${comboCode("transfer_out")} from transfer where token in (select token from combo_token)
  union all select block, log_index, sub, ${comboCode("transfer_in")} from transfer where token in (select token from combo_token)
  union all select block, log_index, 0, ${comboCode("prepare")} from combo
  union all select block, log_index, 0, -1 from conversion
  where nos || yeses && array(select token from combo_token)`

/** Compares what lists of combos read with the facts. */
export const checkComboActs = Effect.fnUntraced(function* ({ sql, factsFrom }: VerifySnapshot) {
  const [row] = yield* sql<{ n: number }>`
    with combo_token as materialized (select t.id as token from token t where ${sql.literal(isComboSql("t"))}),
    combo_condition as materialized (select c.id as condition from condition c where ${sql.literal(isComboSql("c"))}),
    fact as materialized (select * from (${sql.literal(facts)}) f where block >= ${factsFrom}),
    act as materialized (
      select a.block, a.log_index, a.sub,
        case when exists (select from conversion v where v.block = a.block and v.log_index = a.log_index) then -1
          else a.kind end as kind
      from combo_act a where a.is_main and a.block >= ${factsFrom})
    select count(*)::int as n from (
      (select * from fact except select * from act) union all (select * from act except select * from fact)) differing`
  const wrong = row?.n ?? 0
  return check(
    "combo-acts",
    wrong,
    "lists of combos have all facts of combos",
    `${wrong} facts of combos are not listed`,
  )
})
