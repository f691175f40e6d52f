import type { Tag } from "../model.ts"

/** id, slug, label */
const table = `
1 sports Sports
2 politics Politics
21 crypto Crypto
84 weather Weather
107 business Business
120 finance Finance
144 elections Elections
159 fed Fed
235 bitcoin Bitcoin
39 ethereum Ethereum
818 solana Solana
101267 xrp XRP
102134 dogecoin Dogecoin
102135 bnb BNB
102136 hyperliquid Hyperliquid
1312 crypto-prices Crypto Prices
101757 recurring Recurring
102127 up-or-down Up or Down
102892 5m 5M
102467 15m 15M
102175 1h 1H
102531 4h 4H
102281 daily Daily
102264 weekly Weekly
102144 monthly Monthly
102169 hide-from-new Hide From New
102648 multi-strikes Multi Strikes
100639 games Games
745 nba NBA
28 basketball Basketball
450 nfl NFL
10 football Football
100381 mlb MLB
678 baseball Baseball
899 nhl NHL
100088 hockey Hockey
100350 soccer Soccer
82 epl EPL
780 lal La Liga
100977 ucl UCL
1234 champions-league Champions League
100100 mls MLS
864 tennis Tennis
101232 atp ATP
64 esports Esports
100780 cs2 Counter-Strike 2
189 us-politics US Politics
126 congress Congress
188 senate Senate
187 house House
1101 governor Governor
100199 mayoral-elections Mayoral Elections
101206 world-elections World Elections
100265 geopolitics Geopolitics
101794 foreign-policy Foreign Policy
101970 world World
339 cabinet Cabinet
538 approval Approval
702 legislation Legislation
604 government-shutdown Government Shutdown
100328 economy Economy
100196 fed-rates Fed Rates
702001 inflation Inflation
101548 jobs-report Jobs Report
602 stocks Stocks
101031 commodities Commodities
833 gold Gold
101191 gas-prices Gas Prices
101758 trade-war Trade War
101759 tariffs Tariffs
596 culture Culture
53 movies Movies
54 music Music
55 television TV
18 awards Awards
100240 box-office Box Office
1401 tech Tech
439 ai AI
22 big-tech Big Tech
505 ipos IPOs
506 space Space
507 apps Apps
85 temperature Temperature
86 hurricanes Hurricanes
87 rain Rain
88 climate Climate
100343 mention-markets Mentions
100344 speeches Speeches
100345 earnings-calls Earnings Calls
366 diplomacy Diplomacy
367 treaties Treaties
368 united-nations United Nations
`

export const tags: ReadonlyArray<Tag> = table
  .trim()
  .split("\n")
  .map((line) => {
    const [id = "", slug = "", ...label] = line.split(" ")
    return { id, slug, label: label.join(" ") }
  })

const bySlug = new Map(tags.map((tag) => [tag.slug, tag]))

export const tagged = (...slugs: ReadonlyArray<string>): ReadonlyArray<Tag> =>
  slugs.map((slug) => {
    const tag = bySlug.get(slug)
    if (tag === undefined) throw new Error(`No tag ${slug}`)
    return tag
  })
