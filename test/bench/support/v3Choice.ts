import postgres from "postgres"
import { expose } from "./expose.ts"
import type { V3ChoiceSubject } from "./v3.ts"

const [busy, random] = [4, 100]

expose<V3ChoiceSubject>({
  choose: async (url) => {
    const sql = postgres(url, { max: 1 })
    const traders = await sql<Array<{ address: string; n: number }>>`
      select '0x' || encode(w.address, 'hex') as address, n::int from (
        select maker, count(*) as n from fill group by maker order by n desc limit ${busy}) f join wallet w on w.id = f.maker
      order by n desc`
    const holders = await sql<Array<{ address: string; n: number }>>`
      select '0x' || encode(w.address, 'hex') as address, n::int from (
        select wallet, count(*) as n from position group by wallet order by n desc limit ${busy}) p
      join wallet w on w.id = p.wallet order by n desc`
    const tokens = await sql<Array<{ token: string; condition: string; slug: string }>>`
      select encode(t.hash, 'hex') as token, '0x' || encode(c.hash, 'hex') as condition, m.slug from (
        select token, count(*) as n from fill group by token order by n desc limit ${busy}) f
      join token t on t.id = f.token join condition c on c.id = t.condition join market m on m.condition = c.id
      order by n desc`
    const [event] = await sql<Array<{ slug: string }>>`
      select e.slug from (
        select t.event, count(*) as n from fill f join token t on t.id = f.token where t.event is not null
        group by t.event order by n desc limit 1) f join event e on e.id = f.event`
    const wallets = await sql<Array<{ address: string }>>`
      select '0x' || encode(address, 'hex') as address from wallet where id in (select distinct maker from fill limit 50000)
      order by md5(address::text) limit ${random}`
    const [all] = await sql<
      Array<{ newest: number; n: number }>
    >`select max(at) as newest, count(*)::int as n from fill`
    await sql.end()
    return {
      traders: traders.map(({ address }) => address),
      holders: holders.map(({ address }) => address),
      tokens: tokens.map(({ token }) => BigInt(`0x${token}`).toString()),
      conditions: tokens.map(({ condition }) => condition),
      slugs: tokens.map(({ slug }) => slug),
      event: event?.slug ?? "",
      wallets: wallets.map(({ address }) => address),
      newest: all?.newest ?? 0,
      fills: all?.n ?? 0,
      mostFills: traders[0]?.n ?? 0,
      mostPositions: holders[0]?.n ?? 0,
    }
  },
})
