import { seedOf } from "../random.ts"
import type { Simulation } from "../Simulation.ts"
import type { Millis } from "../world/model.ts"
import { coins } from "../world/oracle.ts"
import type { Event } from "../world/Venue.ts"
import { tellingWords } from "./words.ts"

/** What pages are written about. */
export interface Subject {
  readonly name: string
  /** Says which sites write about it. */
  readonly topic: string
  readonly seed: number
  /** From when to when it is news; lasting subjects always are. */
  readonly news: { readonly from: Millis; readonly to: Millis } | "always"
  /** Whether reference works have an article about it. */
  readonly isKnown: boolean
}

/** How many of the newest subjects with a word are looked at, and how many are kept in all. */
const mostWithWord = 2_000
const mostFound = 24
const mostWords = 16

const lasting = (name: string, topic: string): Subject => ({
  name,
  topic,
  seed: seedOf(0, `${topic} ${name}`),
  news: "always",
  isKnown: true,
})

/** Whatever else somebody may look for. */
export const askedFor = (name: string): Subject => ({ ...lasting(name, "any"), isKnown: false })

/** Short price windows come by the thousand, and nobody writes about one of them. */
const isWindow = ({ plan }: Event) => plan.markets[0]?.rule.kind === "updown"

/** What exists in the world, to be found by its words. */
export class Subjects {
  readonly #sim: Simulation
  readonly #subjects: Array<Subject> = []
  readonly #withWord = new Map<string, Array<number>>()
  readonly #games = new Set<number>()
  #listed = 0

  constructor(sim: Simulation) {
    this.#sim = sim
    const { teams, leagues, tags } = sim.made.catalogue
    const leagueName = new Map(leagues.map(({ code, name }) => [code, name]))
    const coinNames = new Set(coins.map(({ name }) => name))
    for (const { label, slug } of tags) if (!coinNames.has(slug)) this.#add(lasting(label, slug), label)
    for (const { name, code } of leagues) this.#add(lasting(name, "sports"), `${name} ${code}`)
    for (const { name, alias, league } of teams) {
      this.#add(lasting(name, "sports"), `${name} ${alias} ${league} ${leagueName.get(league)}`)
    }
    for (const { name, symbol } of coins) this.#add(lasting(coinTitle(name), "crypto"), `${name} ${symbol}`)
  }

  /** Those with the most of the words, newer ones first. */
  find(text: string): ReadonlyArray<Subject> {
    this.#catchUp()
    const hits = new Map<number, number>()
    for (const word of tellingWords(text).slice(0, mostWords)) {
      const places = this.#withWord.get(word)?.slice(-mostWithWord) ?? []
      for (const place of places) hits.set(place, (hits.get(place) ?? 0) + 1)
    }
    return [...hits]
      .sort(([a, hitsOfA], [b, hitsOfB]) => hitsOfB - hitsOfA || b - a)
      .slice(0, mostFound)
      .map(([place]) => this.#subjects[place] as Subject)
  }

  #catchUp(): void {
    const now = this.#sim.now()
    for (const { events } = this.#sim.made.world.venue; ; this.#listed++) {
      const event = events[this.#listed]
      if (event === undefined || event.plan.createdAt > now) return
      if (!isWindow(event)) this.#addEvent(event)
    }
  }

  #addEvent({ plan }: Event): void {
    const { title, slug, category, createdAt, endsAt, tags, game } = plan
    // Further events of the same game are about the same thing.
    if (game !== undefined && this.#games.has(game.id)) return
    if (game !== undefined) this.#games.add(game.id)
    const sides = game === undefined ? "" : `${game.home.name} ${game.away.name}`
    this.#add(
      {
        name: title.replace("___", "key levels").replace(/\?$/, ""),
        topic: category,
        seed: seedOf(0, slug),
        news: { from: createdAt, to: endsAt },
        isKnown: false,
      },
      `${title} ${sides} ${tags.map(({ label }) => label).join(" ")}`,
    )
  }

  #add(subject: Subject, text: string): void {
    const place = this.#subjects.push(subject) - 1
    for (const word of tellingWords(text)) {
      const places = this.#withWord.get(word)
      if (places === undefined) this.#withWord.set(word, [place])
      else places.push(place)
    }
  }
}

const coinTitle = (name: string) => (name === "bnb" || name === "xrp" ? name.toUpperCase() : capital(name))
const capital = (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1)
