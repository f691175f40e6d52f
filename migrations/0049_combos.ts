import { Effect } from "effect"
import { SqlClient } from "effect/unstable/sql/SqlClient"

/** Numbers of the kinds of acts. */
const [execution, ownExecution, prepare, redeem, transferOut, transferIn, split, merge, convert] = [
  0, 1, 2, 3, 4, 5, 6, 7, 10,
]

const isCombo = (hash: string) =>
  `substr(${hash}, 1, 1) = '\\x03'::bytea and substr(${hash}, 20, 8) = '\\x0000000000000000'::bytea`

/** Tokens of combos with their conditions, and the conditions alone. */
const combos = `
  combo_token as materialized (
    select t.id as token, c.id as condition from token t
    join condition c on c.hash = substr(t.hash, 1, 31) || '\\x00'::bytea where ${isCombo("t.hash")}),
  combo_condition as materialized (select id as condition from condition where ${isCombo("hash")})`

const place = "f.block, f.log_index"

const acts = `
  select ${place}, 0 as sub, case when f.taker = 0 then ${ownExecution} else ${execution} end as kind, true as is_main,
    to_timestamp(f.at) as at, f.maker as wallet, k.condition, f.token, f.shares, f.is_sale as is_out, f.usd
  from combo_token k join fill f on f.token = k.token
  union all
  select ${place}, 0, ${split}, true, f.at, f.wallet, f.condition, 0, f.amount, false, f.amount
  from split f join combo_condition k using (condition)
  union all
  select ${place}, 0, ${merge}, true, f.at, f.wallet, f.condition, 0, f.amount, true, f.amount
  from merge f join combo_condition k using (condition)
  union all
  select ${place}, 0, ${redeem}, true, f.at, f.wallet, f.condition,
    case when cardinality(f.tokens) = 1 then f.tokens[1] else 0 end, (select sum(s) from unnest(f.shares) s), true, f.payout
  from redemption f join combo_condition k using (condition)
  union all
  select ${place}, f.sub, ${transferOut}, true, f.at, f.sender, k.condition, f.token, f.shares, true, 0
  from transfer f join combo_token k using (token)
  union all
  select ${place}, f.sub, ${transferIn}, true, f.at, f.receiver, k.condition, f.token, f.shares, false, 0
  from transfer f join combo_token k using (token)
  union all
  select ${place}, f.sub, ${convert}, row_number() over (partition by ${place}, f.wallet order by f.sub) = 1, f.at, f.wallet,
    k.condition, f.token, abs(f.shares), f.shares < 0, f.paid
  from stock_change f join combo_token k using (token)
  union all
  select ${place}, 0, ${prepare}, true, f.at, 0, f.condition, 0, 0, false, 0 from combo f
  union all
  select block, log_index, 0, ${convert}, place = min(place) over (partition by block, log_index), at, wallet, condition,
    token, case when is_given then amount else received end, is_given,
    case when place = min(place) over (partition by block, log_index) then paid else 0 end
  from (
    select distinct on (${place}, k.condition) f.*, k.condition, m.token, m.place, m.place <= cardinality(f.nos) as is_given
    from conversion f cross join lateral unnest(f.nos || f.yeses) with ordinality m(token, place)
    join combo_token k on k.token = m.token
    order by ${place}, k.condition, m.place) f`

/** What happened to combos, which are few among all facts, for lists of combos; and what a module did to them. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient
  // Unknown of those that were read before.
  yield* sql`alter table conversion add column operation smallint`
  // A wallet or token of 0 is none.
  yield* sql`
    create table combo_act (
      block integer not null,
      log_index integer not null,
      sub integer not null,
      kind smallint not null,
      is_main boolean not null,
      at timestamptz not null,
      wallet integer not null,
      condition integer not null,
      token integer not null,
      shares bigint not null,
      is_out boolean not null,
      usd bigint not null,
      primary key (block, log_index, kind, sub, condition)
    )`
  yield* sql.unsafe(`
    with ${combos}
    insert into combo_act (block, log_index, sub, kind, is_main, at, wallet, condition, token, shares, is_out, usd)
    select * from (${acts}) a order by block, log_index`)
  const indexes = {
    combo_act_wallet: "create index combo_act_wallet on combo_act (wallet, kind, at, block, log_index) where is_main",
    combo_act_kind: "create index combo_act_kind on combo_act (kind, block, log_index) where is_main",
    // What happened to a combo is counted from the index alone.
    combo_act_condition:
      "create index combo_act_condition on combo_act (condition, kind, block, log_index) include (usd, at)",
    combo_act_holder: "create index combo_act_holder on combo_act (wallet, condition)",
  }
  const isBeingFilled = (yield* sql`select from deferred_index where name = 'position_wallet'`).length > 0
  for (const [name, definition] of Object.entries(indexes)) {
    yield* isBeingFilled
      ? sql`insert into deferred_index (name, definition) values (${name}, ${definition})`
      : sql.unsafe(definition)
  }
})
