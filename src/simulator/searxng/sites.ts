export type SiteKind = "news" | "forum" | "analysis" | "betting" | "reference"

/** A fictional web site. */
export interface Site {
  readonly host: string
  readonly name: string
  readonly kind: SiteKind
  readonly language: string
  /** Topics it covers; "any" for all. */
  readonly topics: ReadonlyArray<string>
  /** Which safe search excludes it: 0 none, 1 strict, 2 strict and moderate. */
  readonly sensitivity: 0 | 1 | 2
}

const table = `
www.meridiandispatch.com|Meridian Dispatch|news|en|any|0
www.northlinetimes.com|Northline Times|news|en|any|0
globaldeskwire.com|Global Desk Wire|news|en|any|0
www.capitolrundown.com|Capitol Rundown|news|en|politics,geopolitics,economy|0
statehouseledger.org|Statehouse Ledger|news|en|politics,economy|0
www.tickerandtape.com|Ticker & Tape|news|en|economy,crypto,tech|0
chainpress.io|Chain Press|news|en|crypto|0
blocklanternnews.com|Block Lantern|news|en|crypto,tech|0
www.courtsidewire.com|Courtside Wire|news|en|sports|0
fulltimereport.co.uk|Full Time Report|news|en|sports|0
www.thelockerline.com|The Locker Line|news|en|sports|0
redcarpetbulletin.com|Red Carpet Bulletin|news|en|culture|0
siliconfathom.com|Silicon Fathom|news|en|tech|0
www.skyandstorm.net|Sky & Storm|news|en|weather|0
forecastroundtable.com|Forecast Roundtable|analysis|en|any|0
www.oddsandevidence.com|Odds and Evidence|analysis|en|any|0
quantfieldnotes.substack.example|Quant Field Notes|analysis|en|crypto,economy,sports|0
talkboard.example|Talkboard|forum|en|any|0
www.armchairassembly.net|Armchair Assembly|forum|en|any|1
www.sharplinepicks.com|Sharp Line Picks|betting|en|sports,any|1
nolimitparlay.bet|No Limit Parlay|betting|en|sports,crypto|2
en.wikipedia.org|Wikipedia|reference|en|any|0
www.tagesblick.de|Tagesblick|news|de|any|0
boersenlotse.de|Börsenlotse|news|de|crypto,economy|0
www.lecarrefourinfo.fr|Le Carrefour Info|news|fr|any|0
www.diariodelmeridiano.es|Diario del Meridiano|news|es|any|0
www.folhadolitoral.com.br|Folha do Litoral|news|pt|any|0
`

export const sites: ReadonlyArray<Site> = table
  .trim()
  .split("\n")
  .map((line) => {
    const [host = "", name = "", kind = "", language = "", topics = "", sensitivity = ""] = line.split("|")
    return {
      host,
      name,
      kind: kind as SiteKind,
      language,
      topics: topics.split(","),
      sensitivity: Number(sensitivity) as Site["sensitivity"],
    }
  })

export const encyclopedia = sites.find(({ kind }) => kind === "reference") as Site

const sitesByTopic = new Map<string, ReadonlyArray<Site>>()

export const sitesAbout = (topic: string): ReadonlyArray<Site> => {
  const cached = sitesByTopic.get(topic)
  if (cached !== undefined) return cached
  const found = sites.filter(
    ({ kind, topics }) => kind !== "reference" && (topics.includes("any") || topics.includes(topic)),
  )
  sitesByTopic.set(topic, found)
  return found
}
