import { cents } from "../shared/format.ts"
import { Time } from "../shared/ui/Time.tsx"

export interface GameScore {
  readonly score: string | null
  readonly period: string | null
  readonly elapsed: string | null
  readonly freshness: string
}
export interface ListedGame {
  readonly id: string
  readonly slug: string
  readonly title: string
  readonly startTime: string
  readonly status: string
  readonly score: GameScore
  readonly markets: ReadonlyArray<{
    readonly slug: string
    readonly question: string
    readonly sportsMarketType: string | null
    readonly outcomes: ReadonlyArray<string>
    readonly outcomePrices: ReadonlyArray<string>
  }>
}

/** "Q3 04:12", where the game stands. */
export const clockOf = ({ period, elapsed }: GameScore): string =>
  [period, elapsed].filter((part) => part !== null && part !== "").join(" ")

/** A game with its score and the prices of its winner. */
export const GameCard = ({ game }: { readonly game: ListedGame }) => {
  const winner = game.markets.find(({ sportsMarketType }) => sportsMarketType === "moneyline") ?? game.markets[0]
  return (
    <li data-game={game.slug}>
      <div class="spread">
        <a href={`/explore/sports/${encodeURIComponent(game.slug)}`}>
          <strong>{game.title}</strong>
        </a>
        <span class="figures score">{game.score.score ?? ""}</span>
      </div>
      <p class="spread small muted">
        <span>{game.status === "live" ? clockOf(game.score) || "live" : game.status}</span>
        <Time at={game.startTime} />
      </p>
      {winner !== undefined && (
        <p class="spread small">
          {winner.outcomes.map((outcome, i) => (
            <span key={outcome}>
              {outcome} <span class="figures">{cents(winner.outcomePrices[i])}</span>
            </span>
          ))}
        </p>
      )}
    </li>
  )
}
