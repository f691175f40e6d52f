import { Schema } from "effect"
import type { GamePhase, GameState } from "#src/domain/Game.ts"

/** Amounts and probabilities are whole numbers of 10⁻⁶, times milliseconds. */
export type Micro = bigint | number

export interface SportsMarket {
  readonly id: number
  readonly event: number
  readonly condition: string | null
  readonly slug: string
  readonly question: string
  readonly groupTitle: string | null
  readonly sportsType: string | null
  readonly line: Micro | null
  /** In the order of the prices and tokens. */
  readonly outcomes: ReadonlyArray<string>
  readonly prices: ReadonlyArray<number>
  /** Decimal digits. */
  readonly tokens: ReadonlyArray<string>
  readonly volume: Micro | null
  readonly volumeDay: Micro | null
  readonly liquidity: Micro | null
  /** Start of the game. */
  readonly opensAt: number | null
  readonly active: boolean
  readonly closed: boolean
  readonly acceptingOrders: boolean
  readonly delaySeconds: number | null
  readonly clearBookOnStart: boolean | null
  /** Of the first outcome. */
  readonly bestBid: number | null
  readonly bestAsk: number | null
}

export interface SportsGame {
  readonly id: string
  readonly league: string | null
  readonly home: string | null
  readonly away: string | null
  readonly homeTeam: number | null
  readonly awayTeam: number | null
  readonly phase: GamePhase
  readonly state: GameState
  /** When the live source last sent something about it. */
  readonly heardAt: number | null
}

export interface SportsEvent {
  readonly id: number
  readonly slug: string
  readonly title: string
  readonly description: string | null
  readonly context: string | null
  readonly category: string | null
  readonly image: string | null
  /** Null for the event that names the game; others of the same game have it as their parent. */
  readonly parent: number | null
  readonly series: number | null
  readonly eventDate: string | null
  readonly startsAt: number | null
  readonly opensAt: number | null
  readonly endsAt: number | null
  readonly closedAt: number | null
  readonly active: boolean
  readonly closed: boolean
  readonly volume: Micro | null
  readonly volumeDay: Micro | null
  readonly liquidity: Micro | null
  /** Null for an event of a league that is no game. */
  readonly game: SportsGame | null
  readonly markets: ReadonlyArray<SportsMarket>
}

/** A closed event without a final state has ended. */
export const statusOf = ({ game, closed }: Pick<SportsEvent, "game" | "closed">): GamePhase => {
  const phase = game?.phase ?? "scheduled"
  return closed && (phase === "scheduled" || phase === "live") ? "ended" : phase
}

/** Where metadata comes from, best first. */
export const metadataSources = ["catalogue", "gamma", "gamma_alternate"] as const
export type MetadataSource = (typeof metadataSources)[number]

/** Something with its origin. */
export interface Sourced<A> {
  readonly value: A
  readonly source: MetadataSource
  /** Neither from our catalogue nor from the venue's primary listing. */
  readonly fallback: boolean
  /** Only an older answer is left. */
  readonly stale: boolean
  /** As of when it is true, in milliseconds. */
  readonly at: number
}

const unknownKinds = ["league", "game", "event", "market", "series", "tournament"] as const

/** Neither our catalogue nor the venue knows it. */
export class UnknownSport extends Schema.TaggedError<UnknownSport>()("UnknownSport", {
  kind: Schema.Literals(unknownKinds),
  value: Schema.String,
  nearest: Schema.Array(Schema.String),
}) {
  override get message() {
    return `There is no ${this.kind} "${this.value.slice(0, 100)}".`
  }
}

/** No source can say anything. */
export class NoSource extends Schema.TaggedError<NoSource>()("NoSource", { reason: Schema.String }) {
  override get message() {
    return `no source answers: ${this.reason}`
  }
}
