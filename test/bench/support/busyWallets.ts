import postgres from "postgres"
import { expose } from "./expose.ts"
import type { BusyWallet, BusyWalletsSubject } from "./wallets.ts"

interface Counted {
  readonly id: number
  readonly address: string
  readonly positions: number
}

/** A wallet with fewer cannot have every filter of the bench. */
const fewest = 40

const describe = async (sql: postgres.Sql, { id, address, positions }: Counted): Promise<BusyWallet> => {
  const tags = await sql<Array<{ tag: string; n: number }>>`
    select tag, count(*)::int as n
    from position p join token t on t.id = p.token join market m on m.condition = t.condition
      join event e on e.id = m.event cross join lateral jsonb_array_elements_text(e.tags) tag
    where p.wallet = ${id} group by tag order by n desc, tag`
  const [market] = await sql<Array<{ slug: string }>>`
    select m.slug from position p join token t on t.id = p.token join market m on m.condition = t.condition
      join resolution r on r.condition = t.condition
    where p.wallet = ${id} order by p.token desc limit 1`
  const [middle] = await sql<Array<{ token: number; wallet: number }>>`
    select token, wallet from position where wallet = ${id} order by token desc offset ${Math.floor(positions / 2)} limit 1`
  const tag = tags[0]?.tag
  if (tag === undefined || market === undefined || middle === undefined) throw new Error(`${address} has no markets`)
  const rareTag = tags.find(({ n }) => n <= positions / 100)?.tag ?? tags.at(-1)?.tag ?? tag
  return { address, positions, tag, rareTag, market: market.slug, middle }
}

expose<BusyWalletsSubject>({
  choose: async (url, busy, quiet) => {
    const sql = postgres(url, { max: 1 })
    const counted = await sql<Array<Counted>>`
      select w.id, '0x' || encode(w.address, 'hex') as address, p.n as positions
      from (select wallet, count(*)::int as n from position group by wallet having count(*) >= ${fewest}) p
        join wallet w on w.id = p.wallet
      order by p.n desc, w.id`
    const [total] = await sql<Array<{ n: number }>>`select count(*)::int as n from position`
    const all = async (chosen: ReadonlyArray<Counted>) => {
      const described: Array<BusyWallet> = []
      for (const each of chosen) described.push(await describe(sql, each))
      return described
    }
    const chosen = { busy: await all(counted.slice(0, busy)), quiet: await all(counted.slice(-quiet)) }
    await sql.end()
    return { ...chosen, positions: total?.n ?? 0 }
  },
})
