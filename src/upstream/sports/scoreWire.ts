import { Schema } from "effect"
import { readScore, readStatus, type ScoreUpdate } from "#src/domain/Game.ts"

const maybe = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))
const Text = Schema.String.check(Schema.makeFilter((text) => !text.includes("\0")))
/** A number in most sports, free text in others. */
const GameId = maybe(Schema.Union([Text, Schema.Int]))

/** An update of a game, which has an id, in older messages a slug; nearly everything else may be missing. */
export const WireScore = Schema.Struct({
  gameId: GameId,
  /** The id of games that have no number, such as cricket. */
  metadataGameId: GameId,
  slug: maybe(Text),
  leagueAbbreviation: maybe(Text),
  homeTeam: maybe(Text),
  awayTeam: maybe(Text),
  status: maybe(Text),
  score: maybe(Text),
  period: maybe(Text),
  elapsed: maybe(Text),
  live: maybe(Schema.Boolean),
  ended: maybe(Schema.Boolean),
  updatedAt: maybe(Text),
  last_update: maybe(Text),
  finishedTimestamp: maybe(Text),
  finished_timestamp: maybe(Text),
  turn: maybe(Text),
}).check(
  Schema.makeFilter((wire) => idOf(wire) !== null || Boolean(wire.slug), {
    expected: "a gameId, metadataGameId or slug",
  }),
)

interface Identified {
  readonly gameId?: string | number | null
  readonly metadataGameId?: string | number | null
}

/** Negative numbers mean that there is no game. */
function idOf({ gameId, metadataGameId }: Identified): string | null {
  const [id] = [gameId, metadataGameId].flatMap((id) =>
    id === null || id === undefined || id === "" || Number(id) < 0 ? [] : [String(id)],
  )
  return id ?? null
}

/** A time that cannot be read is not worth the loss of the score. */
const momentOf = (text: string | null | undefined): number | null => {
  const at = Date.parse(text ?? "")
  return Number.isNaN(at) ? null : at
}

export const toScoreUpdate = (wire: typeof WireScore.Type): ScoreUpdate => ({
  id: idOf(wire),
  slug: wire.slug || null,
  league: wire.leagueAbbreviation || null,
  home: wire.homeTeam || null,
  away: wire.awayTeam || null,
  at: momentOf(wire.updatedAt) ?? momentOf(wire.last_update),
  state: {
    status: readStatus(wire.status),
    score: readScore(wire.score),
    period: wire.period || null,
    elapsed: wire.elapsed || null,
    turn: wire.turn || null,
    live: wire.live ?? null,
    ended: wire.ended ?? null,
    finishedAt: momentOf(wire.finishedTimestamp) ?? momentOf(wire.finished_timestamp),
  },
})
