import postgres from "postgres"
import type { CatalogueChoiceSubject } from "./catalogue.ts"
import { expose } from "./expose.ts"

const busy = 4
const searches = 50

/** Two words of a question, the last one cut as while typing, with a typo in every other. */
const typed = (question: string, i: number) => {
  const [first = "", second = ""] = question
    .toLowerCase()
    .replaceAll(/[^a-z0-9 ]/g, "")
    .split(" ")
    .filter((word) => word.length > 3)
  const word = i % 2 === 0 ? first : first.slice(0, 2) + first.slice(3)
  return `${word} ${second.slice(0, 4)}`.trim()
}

expose<CatalogueChoiceSubject>({
  choose: async (url) => {
    const sql = postgres(url, { max: 1 })
    const tokens = await sql<Array<{ token: string; condition: string; slug: string }>>`
      select encode(t.hash, 'hex') as token, '0x' || encode(c.hash, 'hex') as condition, m.slug from (
        select token, count(*) as n from fill group by token order by n desc limit ${busy}) f
      join token t on t.id = f.token join condition c on c.id = t.condition join market m on m.condition = c.id
      order by n desc`
    const events = await sql<Array<{ slug: string }>>`
      select e.slug from (select event, count(*) as n from market group by event order by n desc limit ${busy}) m
      join event e on e.id = m.event`
    const tags = await sql<Array<{ slug: string }>>`
      select tag as slug from event cross join lateral jsonb_array_elements_text(tags) tag
      group by tag order by count(*) desc limit ${busy}`
    const builders = await sql<Array<{ code: string }>>`
      select '0x' || encode(b.code, 'hex') as code from (
        select builder, count(*) as n from fill where builder <> 0 group by builder order by n desc limit ${busy}) f
      join builder b on b.id = f.builder`
    const comboHolders = await sql<Array<{ address: string }>>`
      select '0x' || encode(w.address, 'hex') as address from (
        select p.wallet, count(*) as n from position p join token t on t.id = p.token
        where t.condition in (select condition from combo) group by p.wallet order by n desc limit ${busy}) p
      join wallet w on w.id = p.wallet`
    const questions = await sql<Array<{ question: string }>>`
      select question from market order by md5(id::text) limit ${searches}`
    const [all] = await sql<Array<{ newest: number; fills: number; markets: number; traded: number }>>`
      select (select max(at) from fill) as newest, (select count(*)::int from fill) as fills,
        (select count(*)::int from market) as markets,
        (select count(*)::int from market_count where scope > 0 and trades_all > 0) as traded`
    await sql.end()
    return {
      tokens: tokens.map(({ token }) => BigInt(`0x${token}`).toString()),
      conditions: tokens.map(({ condition }) => condition),
      slugs: tokens.map(({ slug }) => slug),
      events: events.map(({ slug }) => slug),
      tags: tags.map(({ slug }) => slug),
      builders: builders.map(({ code }) => code),
      comboHolders: comboHolders.map(({ address }) => address),
      searches: questions.map(({ question }, i) => typed(question, i)),
      newest: all?.newest ?? 0,
      markets: all?.markets ?? 0,
      traded: all?.traded ?? 0,
      fills: all?.fills ?? 0,
    }
  },
})
