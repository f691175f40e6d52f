import { hash, seedOf } from "../random.ts"
import { firstNames, lastNames } from "../world/catalogue/text.ts"
import type { Millis } from "../world/model.ts"

export type Beat = "crypto" | "sports" | "politics" | "world"

export interface Account {
  readonly index: number
  readonly id: string
  readonly username: string
  readonly name: string
  readonly beat: Beat
  readonly lang: string
  readonly verified: "business" | "blue" | "none"
  readonly description: string
  readonly location: string
  readonly createdAt: Millis
  readonly followers: number
  readonly following: number
}

const desks = `
MeridianDesk|Meridian Dispatch|world|en
NorthlineTimes|Northline Times|politics|en
GlobalDeskWire|Global Desk Wire|world|en
CapitolRundown|Capitol Rundown|politics|en
StatehouseLedgr|Statehouse Ledger|politics|en
TickerAndTape|Ticker & Tape|world|en
ChainPressIO|Chain Press|crypto|en
BlockLantern|Block Lantern|crypto|en
WhaleLedger|Whale Ledger|crypto|en
PerpPulse|Perp Pulse|crypto|en
CourtsideWire|Courtside Wire|sports|en
FullTimeReport|Full Time Report|sports|en
TheLockerLine|The Locker Line|sports|en
LineMoves|Line Moves|sports|en
RedCarpetBltn|Red Carpet Bulletin|world|en
SkyAndStorm|Sky & Storm|world|en
OddsEvidence|Odds and Evidence|politics|en
Tagesblick|Tagesblick|politics|de
CarrefourInfo|Le Carrefour Info|sports|fr
DiarioMeridiano|Diario del Meridiano|sports|es
FolhaLitoral|Folha do Litoral|crypto|pt
`
  .trim()
  .split("\n")

const personCount = 39
const beats: ReadonlyArray<Beat> = ["crypto", "sports", "crypto", "politics", "sports", "world"]
const locations = ["Chicago", "London", "Lagos", "Singapore", "Toronto", "Lisbon", "", ""]

const descriptions: Readonly<Record<Beat, string>> = {
  crypto: "Prices, chains and leverage. Not financial advice.",
  sports: "Scores, lines and box scores, all day.",
  politics: "Elections, bills and the numbers behind them.",
  world: "A bit of everything that moves.",
}

const seed = seedOf(0, "accounts")
const day = 86_400_000

const accountOf = (index: number, username: string, name: string, beat: Beat, lang: string): Account => {
  const isDesk = index < desks.length
  const roll = hash(seed, index)
  const skew = roll % 1000
  return {
    index,
    id: String(100_000_000 + index * 31_000_000 + (roll % 30_000_000)),
    username,
    name,
    beat,
    lang,
    verified: isDesk ? "business" : roll % 3 === 0 ? "blue" : "none",
    description: descriptions[beat],
    location: locations[roll % locations.length] as string,
    createdAt: Date.UTC(2010, 0, 1) + (roll % 4_400) * day,
    followers: isDesk ? 20_000 + skew * 900 : 150 + Math.floor((skew * skew) / 12),
    following: 40 + (hash(seed, index, 1) % 1_500),
  }
}

export const accounts: ReadonlyArray<Account> = [
  ...desks.map((line, i) => {
    const [username = "", name = "", beat = "", lang = ""] = line.split("|")
    return accountOf(i, username, name, beat as Beat, lang)
  }),
  ...Array.from({ length: personCount }, (_, i) => {
    const [first, last] = [firstNames[i] as string, lastNames[(i * 7 + 3) % lastNames.length] as string]
    const beat = beats[i % beats.length] as Beat
    return accountOf(desks.length + i, `${first}${last}`.slice(0, 15), `${first} ${last}`, beat, "en")
  }),
]

const byUsername = new Map(accounts.map((account) => [account.username.toLowerCase(), account]))
const byId = new Map(accounts.map((account) => [account.id, account]))

export const accountByUsername = (username: string): Account | undefined => byUsername.get(username.toLowerCase())
export const accountById = (id: string): Account | undefined => byId.get(id)
