import { seedOf } from "../random.ts"
import type { Simulation } from "../Simulation.ts"
import type { Millis } from "../world/model.ts"
import { coins } from "../world/oracle.ts"
import type { Event } from "../world/Venue.ts"
import { significantWords } from "./words.ts"

/** The subject of web pages. */
export interface Subject {
  readonly name: string
  /** Determines which sites cover it. */
  readonly topic: string
  readonly seed: number
  /** The period in which it is news; permanent subjects always are. */
  readonly news: { readonly from: Millis; readonly to: Millis } | "always"
  /** Whether the encyclopedia has an article about it. */
  readonly hasArticle: boolean
}

/** Newest subjects considered per word. */
const maxPerWord = 2_000
const maxSubjects = 24
const maxWords = 16

const permanentSubject = (name: string, topic: string): Subject => ({
  name,
  topic,
  seed: seedOf(0, `${topic} ${name}`),
  news: "always",
  hasArticle: true,
})

/** A subject for arbitrary query text. */
export const querySubject = (name: string): Subject => ({ ...permanentSubject(name, "any"), hasArticle: false })

/** Up/down windows number in the thousands and get no pages. */
const isUpDown = ({ plan }: Event) => plan.markets[0]?.rule.kind === "updown"

/** Full-text index of the subjects of the world. */
export class Subjects {
  readonly #sim: Simulation
  readonly #subjects: Array<Subject> = []
  readonly #withWord = new Map<string, Array<number>>()
  readonly #games = new Set<number>()
  #listed = 0

  constructor(sim: Simulation) {
    this.#sim = sim
    const { teams, leagues, tags } = sim.model.catalogue
    const leagueName = new Map(leagues.map(({ code, name }) => [code, name]))
    const coinNames = new Set(coins.map(({ name }) => name))
    for (const { label, slug } of tags) if (!coinNames.has(slug)) this.#add(permanentSubject(label, slug), label)
    for (const { name, code } of leagues) this.#add(permanentSubject(name, "sports"), `${name} ${code}`)
    for (const { name, alias, league } of teams) {
      this.#add(permanentSubject(name, "sports"), `${name} ${alias} ${league} ${leagueName.get(league)}`)
    }
    for (const { name, symbol } of coins) this.#add(permanentSubject(coinTitle(name), "crypto"), `${name} ${symbol}`)
  }

  /** Subjects by number of matching words, then newest first. */
  find(text: string): ReadonlyArray<Subject> {
    this.#catchUp()
    const hits = new Map<number, number>()
    for (const word of significantWords(text).slice(0, maxWords)) {
      const indexes = this.#withWord.get(word)?.slice(-maxPerWord) ?? []
      for (const index of indexes) hits.set(index, (hits.get(index) ?? 0) + 1)
    }
    return [...hits]
      .sort(([a, hitsOfA], [b, hitsOfB]) => hitsOfB - hitsOfA || b - a)
      .slice(0, maxSubjects)
      .map(([index]) => this.#subjects[index] as Subject)
  }

  #catchUp(): void {
    const now = this.#sim.now()
    for (const { events } = this.#sim.model.world.venue; ; this.#listed++) {
      const event = events[this.#listed]
      if (event === undefined || event.plan.createdAt > now) return
      if (!isUpDown(event)) this.#addEvent(event)
    }
  }

  #addEvent({ plan }: Event): void {
    const { title, slug, category, createdAt, endsAt, tags, game } = plan
    // Further events of a game are the same subject.
    if (game !== undefined && this.#games.has(game.id)) return
    if (game !== undefined) this.#games.add(game.id)
    const sides = game === undefined ? "" : `${game.home.name} ${game.away.name}`
    this.#add(
      {
        name: title.replace("___", "key levels").replace(/\?$/, ""),
        topic: category,
        seed: seedOf(0, slug),
        news: { from: createdAt, to: endsAt },
        hasArticle: false,
      },
      `${title} ${sides} ${tags.map(({ label }) => label).join(" ")}`,
    )
  }

  #add(subject: Subject, text: string): void {
    const index = this.#subjects.push(subject) - 1
    for (const word of significantWords(text)) {
      const indexes = this.#withWord.get(word)
      if (indexes === undefined) this.#withWord.set(word, [index])
      else indexes.push(index)
    }
  }
}

const coinTitle = (name: string) => (name === "bnb" || name === "xrp" ? name.toUpperCase() : capital(name))
const capital = (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1)
