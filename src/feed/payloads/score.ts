/** How a game stands, as its entry in the log says it. */
export interface GameStands {
  readonly game: number
  readonly slug: string
  readonly status: string | null
  readonly score: string | null
  readonly period: string | null
  readonly elapsed: string | null
  readonly live: boolean | null
  readonly ended: boolean | null
  readonly at: number
}

export const scorePayload = ({ game, slug, at, ...state }: GameStands) => ({
  event_type: "score",
  game_id: String(game),
  slug,
  ...state,
  updated_at: at,
})
