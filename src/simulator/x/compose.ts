import { gameStateAt } from "../gamma/game.ts"
import { Dice, hash } from "../random.ts"
import type { Simulation } from "../Simulation.ts"
import { usdText } from "../world/catalogue/text.ts"
import type { EventPlan, Game, Millis } from "../world/model.ts"
import { type Coin, coins } from "../world/oracle.ts"
import { type Account, accounts } from "./accounts.ts"
import type { CurrentEvents } from "./CurrentEvents.ts"
import { elaboration, pricePhrases, remarks, scorePhrases } from "./phrases.ts"

/** The text of a post and the target of its link. */
export interface Draft {
  readonly text: string
  readonly link: { readonly expanded: string; readonly title: string } | undefined
  /** Username of the credited account. */
  readonly via: string | undefined
}

const tagOf = (label: string): string => `#${label.replace(/[^\p{L}\p{N}]/gu, "")}`

const fillTemplate = (phrase: string, name: string, tag: string, figure = "", change = ""): string => {
  const values: Readonly<Record<string, string>> = { "*": name, "^": figure, "~": change, "#": tag }
  return phrase.replace(/[*^~#]/g, (sign) => values[sign] ?? sign)
}

const phraseOf = (dice: Dice, table: Readonly<Record<string, ReadonlyArray<string>>>, lang: string): string =>
  dice.pick(table[lang] ?? table["en"] ?? [])

const eventLink = ({ slug, title }: EventPlan) => ({ expanded: `https://polymarket.com/event/${slug}`, title })

const eventDraft = (dice: Dice, plan: EventPlan, lang: string): Draft => {
  const tag = tagOf(dice.pick(plan.tags).label)
  const text = fillTemplate(phraseOf(dice, remarks, lang), plan.title.replace("___", "…"), tag)
  const isLong = lang === "en" && dice.chance(0.03)
  return {
    text: isLong ? `${text} ${elaboration}` : text,
    link: dice.chance(0.4) ? eventLink(plan) : undefined,
    via: dice.chance(0.15) ? dice.pick(accounts).username : undefined,
  }
}

const gameDraft = (dice: Dice, plan: EventPlan, game: Game, at: Millis, lang: string): Draft => {
  const { home, away } = game
  const { score, period, elapsed } = gameStateAt(game, at)
  const [homeScore, awayScore] = (score ?? "0-0").split("-")
  const line = `${home.alias} ${homeScore} - ${awayScore} ${away.alias}`
  const moment = [period, elapsed].filter(Boolean).join(" ")
  const text = fillTemplate(phraseOf(dice, scorePhrases, lang), line, tagOf(dice.pick([home, away]).alias), moment)
  return { text, link: dice.chance(0.2) ? eventLink(plan) : undefined, via: undefined }
}

const hourSeconds = 3_600
const dollar = 100_000_000

/** A signed percentage with two decimals. */
const changeText = (from: number, to: number): string => {
  const points = Math.round(((to - from) * 10_000) / from)
  const size = Math.abs(points)
  return `${points < 0 ? "-" : "+"}${Math.floor(size / 100)}.${String(size % 100).padStart(2, "0")}%`
}

const priceDraft = (sim: Simulation, dice: Dice, at: Millis, lang: string): Draft => {
  const index = dice.below(coins.length)
  const { symbol, name } = coins[index] as Coin
  const second = Math.floor(at / 1000)
  const { oracle } = sim.model.world
  const price = oracle.priceAt(index, second)
  const change = changeText(oracle.priceAt(index, second - hourSeconds), price)
  const step = price < 10 * dollar ? dollar / 10_000 : dollar / 100
  const figure = `$${usdText(Math.floor(price / step) * step)}`
  const tag = tagOf(dice.chance(0.5) ? symbol : name)
  return {
    text: fillTemplate(phraseOf(dice, pricePhrases, lang), symbol, tag, figure, change),
    link: undefined,
    via: undefined,
  }
}

/** The original post of an account at a time. */
export const compose = (sim: Simulation, currentEvents: CurrentEvents, author: Account, at: Millis): Draft => {
  const dice = new Dice(hash(author.index, at))
  const { beat, lang } = author
  if (beat === "sports" && dice.chance(0.6)) {
    const live = currentEvents.liveGames(at)
    const plan = live.length === 0 ? undefined : dice.pick(live)
    if (plan?.game !== undefined) return gameDraft(dice, plan, plan.game, at, lang)
  }
  const plans = beat === "crypto" && dice.chance(0.7) ? [] : currentEvents.of(beat, at)
  return plans.length === 0 ? priceDraft(sim, dice, at, lang) : eventDraft(dice, dice.pick(plans), lang)
}
