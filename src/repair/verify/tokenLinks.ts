import { Effect } from "effect"
import { check, type VerifySnapshot } from "./Check.ts"

/** What is kept of a token, for lists that filter by it, against the market and the result of its condition. */
export const checkTokenLinks = Effect.fnUntraced(function* ({ sql }: VerifySnapshot) {
  const [row] = yield* sql<{ events: number; results: number }>`
    select
      count(*) filter (where t.event is distinct from m.event)::int as events,
      count(*) filter (where t.resolved_at is distinct from r.at)::int as results
    from token t
    left join (select distinct on (condition) condition, event from market order by condition, id desc) m using (condition)
    left join resolution r using (condition)`
  const { events, results } = row ?? { events: 0, results: 0 }
  return check(
    "token-links",
    events + results,
    "tokens have the event and the result of their condition",
    `${events} tokens lack their event or have another one, ${results} differ from the result of their condition`,
  )
})
