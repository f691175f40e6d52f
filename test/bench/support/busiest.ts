import postgres from "postgres"
import { type BusiestSubject, cap } from "./exports.ts"
import { expose } from "./expose.ts"

expose<BusiestSubject>({
  busiest: async (url) => {
    const sql = postgres(url, { max: 1 })
    const [found] = await sql<Array<{ id: number; wallet: string }>>`
      select w.id, '0x' || encode(w.address, 'hex') as wallet
      from (select maker from fill group by maker order by count(*) desc limit 1) f join wallet w on w.id = f.maker`
    if (found === undefined) throw new Error("the ledger has no fills")
    const { id, wallet } = found
    // Starts one second after the newest fill that exceeds the cap.
    const [range] = await sql<Array<{ from: number; to: number }>>`
      select max(at)::float8 as to,
        coalesce((select at::float8 + 1 from fill where maker = ${id}
          order by at desc offset ${cap} limit 1), 1704067200) as from
      from fill where maker = ${id}`
    const { from, to } = range ?? { from: 0, to: 0 }
    const [counted] = await sql<Array<{ count: number }>>`
      select count(*)::int as count from fill
      where maker = ${id} and at >= ${from} and at <= ${to}`
    await sql.end()
    return { query: { wallet, id, from, to }, count: counted?.count ?? 0 }
  },
})
