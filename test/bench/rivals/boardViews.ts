import postgres from "postgres"
import type { ViewsSubject } from "../support/boards.ts"
import { expose } from "../support/expose.ts"

/** The overall scope and our precomputed scopes: computing them here would take longer. */
const scopes = "(select token, scope from leaderboard_token union all select id, 0 from token)"

const views = {
  bench_rolling: `
    select s.scope, d.days, e.wallet, sum(e.amount) as realized, sum(e.amount) filter (where e.amount > 0) as profit,
      count(*) filter (where e.amount > 0) as wins, count(*) filter (where e.amount < 0) as losses
    from realized_event e join (values (1), (7), (30)) d(days) on e.at > (
        select b.at from chain_cursor c join block b on b.number = c.block) - d.days * interval '1 day'
      join ${scopes} s(token, scope) using (token)
    group by s.scope, d.days, e.wallet`,
  bench_all_time: `
    select s.scope, 0 as days, p.wallet, sum(p.realized) as realized, sum(p.profit) as profit, sum(p.wins) as wins,
      sum(p.losses) as losses, count(*) as positions, count(*) filter (where p.shares > 0) as open, sum(p.volume) as volume
    from position p join ${scopes} s(token, scope) using (token)
    group by s.scope, p.wallet`,
}

let sql = postgres()

const timed = async (work: () => Promise<unknown>) => {
  const since = performance.now()
  await work()
  return (performance.now() - since) / 1000
}

const each = async (statement: (view: string, query: string) => string) => {
  for (const [view, query] of Object.entries(views)) await sql.unsafe(statement(view, query))
}

// As in the Postgres manual: a materialized view with a unique index, so that it can be refreshed concurrently.
expose<ViewsSubject>({
  create: async (url) => {
    sql = postgres(url, { max: 1, onnotice: () => undefined })
    await sql`set work_mem = '256MB'`
    await each((view) => `drop materialized view if exists ${view}`)
    return timed(async () => {
      await each((view, query) => `create materialized view ${view} as ${query}`)
      await each((view) => `create unique index on ${view} (scope, days, wallet)`)
      await each((view) => `create index on ${view} (scope, days, realized desc, wallet)`)
    })
  },
  refresh: () => timed(() => each((view) => `refresh materialized view concurrently ${view}`)),
  scan: () =>
    timed(async () => {
      await sql`select count(*), sum(amount) from realized_event`
      await sql`select count(*), sum(realized) from position`
    }),
  drop: async () => {
    await each((view) => `drop materialized view ${view}`)
    await sql.end()
  },
})
