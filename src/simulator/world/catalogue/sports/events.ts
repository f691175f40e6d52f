import type { EventPlan } from "../../model.ts"
import { leagueSeriesFor } from "../series.ts"
import { tagged } from "../tags.ts"
import type { Contest } from "./contest.ts"
import type { SportName } from "./leagues.ts"
import { baseballOffers, basketballOffers, footballOffers, hockeyOffers } from "./markets/american.ts"
import { marketOf, type Offer } from "./markets/offer.ts"
import { counterStrikeOffers, tennisOffers } from "./markets/sets.ts"
import { soccerExactScore, soccerHalftime, soccerMore, soccerResult } from "./markets/soccer.ts"

/** One event of a game. Where a draw is possible, what excludes each other needs events of their own. */
interface Part {
  readonly slug: string
  readonly title: string
  readonly negRisk: boolean
  readonly offers: (contest: Contest) => ReadonlyArray<Offer>
}

const whole = (offers: Part["offers"]): ReadonlyArray<Part> => [{ slug: "", title: "", negRisk: false, offers }]

export const partsOf: Readonly<Record<SportName, ReadonlyArray<Part>>> = {
  basketball: whole(basketballOffers),
  football: whole(footballOffers),
  baseball: whole(baseballOffers),
  hockey: whole(hockeyOffers),
  tennis: whole(tennisOffers),
  counterStrike: whole(counterStrikeOffers),
  soccer: [
    { slug: "", title: "", negRisk: true, offers: soccerResult },
    { slug: "-more-markets", title: " - More Markets", negRisk: false, offers: soccerMore },
    { slug: "-exact-score", title: " - Exact Score", negRisk: true, offers: soccerExactScore },
    { slug: "-halftime-result", title: " - Halftime Result", negRisk: true, offers: soccerHalftime },
  ],
}

/** The events of a game, all but their creation. */
export const eventsOf = (contest: Contest): ReadonlyArray<Omit<EventPlan, "createdAt">> => {
  const { league, game } = contest
  const description = `In the ${league.name} game between ${game.away.name} and ${game.home.name}, scheduled for ${contest.date}, each market resolves by the official result. If the game is cancelled without a make-up date, markets resolve 50-50.`
  return partsOf[league.sport].map((part) => {
    const markets = part.offers(contest).map((offer) => marketOf(contest, offer))
    return {
      slug: `${contest.slug}${part.slug}`,
      title: `${contest.title}${part.title}`,
      description,
      category: "sports",
      tags: tagged(...league.tags),
      series: leagueSeriesFor(league.code),
      game,
      startsAt: game.startsAt,
      endsAt: Math.max(...markets.map(({ endsAt }) => endsAt)),
      negRisk: part.negRisk,
      recurrence: undefined,
      markets,
    }
  })
}
