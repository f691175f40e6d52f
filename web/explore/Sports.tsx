import { compactUsd, whole } from "../shared/format.ts"
import { withQuery } from "../shared/request.ts"
import { RequestLine } from "../shared/ui/Copy.tsx"
import { Empty, Show } from "../shared/ui/States.tsx"
import { Table } from "../shared/ui/Table.tsx"
import { Time } from "../shared/ui/Time.tsx"
import { useQueryState } from "../shared/useQueryState.ts"
import { useRequest } from "../shared/useRequest.ts"
import { Choice } from "./Choice.tsx"
import { GameCard, type ListedGame } from "./GameCard.tsx"
import { Select } from "./Select.tsx"
import { useTitle } from "./useTitle.ts"

interface League {
  readonly league: string
  readonly active_games: number
  readonly live_games: number
  readonly upcoming_games: number
  readonly open_markets: number
  readonly volume_24h: number
  readonly next_start_time: string
}
interface Summary {
  readonly leagues: ReadonlyArray<League>
}
interface GameList {
  readonly games: ReadonlyArray<ListedGame>
  readonly has_more: boolean
}

const statuses = [
  ["live", "Live"],
  ["scheduled", "Scheduled"],
  ["ended", "Ended"],
] as const

const leagueName = (code: string) => code.toUpperCase()

/** The games of a league that are live, to come or over. */
const Games = ({ league, status }: { readonly league: string; readonly status: string }) => {
  const path = withQuery(`/v2/sports/leagues/${encodeURIComponent(league)}/games`, {
    status,
    sort: "startTime",
    direction: status === "ended" ? "desc" : "asc",
    limit: 30,
  })
  const loaded = useRequest<GameList>(path, { everyMillis: status === "live" ? 5000 : 30_000 })
  return (
    <section aria-labelledby={`league-${league}`} class="league">
      <h2 id={`league-${league}`}>{leagueName(league)}</h2>
      <Show loaded={loaded}>
        {({ games }) =>
          games.length === 0 ? (
            <Empty>
              No game of {leagueName(league)} is {status} now.
            </Empty>
          ) : (
            <ul class="games">
              {games.map((game) => (
                <GameCard key={game.id} game={game} />
              ))}
            </ul>
          )
        }
      </Show>
      <RequestLine path={path} />
    </section>
  )
}

const LeagueTable = ({ leagues }: { readonly leagues: ReadonlyArray<League> }) => (
  <Table
    label="Leagues"
    rows={leagues}
    rowKey={({ league }) => league}
    empty="The venue lists no leagues."
    columns={[
      {
        label: "League",
        cell: ({ league }) => (
          <a href={`/explore/sports?league=${encodeURIComponent(league)}&status=scheduled`}>{leagueName(league)}</a>
        ),
      },
      { label: "Live", isNumber: true, cell: ({ live_games }) => whole(live_games) },
      { label: "Scheduled", isNumber: true, cell: ({ upcoming_games }) => whole(upcoming_games) },
      { label: "Open markets", isNumber: true, cell: ({ open_markets }) => whole(open_markets) },
      { label: "Volume, 24 h", isNumber: true, cell: ({ volume_24h }) => compactUsd(volume_24h) },
      { label: "Next start", cell: ({ next_start_time }) => <Time at={next_start_time} /> },
    ]}
  />
)

/** At most this many leagues at once; each is a request. */
const mostLeagues = 6

const leaguesFor = (leagues: ReadonlyArray<League>, status: string, chosen: string) => {
  if (chosen !== "") return [chosen]
  const count = ({ live_games, upcoming_games, active_games }: League) =>
    status === "live" ? live_games : status === "scheduled" ? upcoming_games : active_games
  return [...leagues]
    .filter((league) => status === "ended" || count(league) > 0)
    .sort((a, b) => count(b) - count(a) || b.volume_24h - a.volume_24h)
    .slice(0, mostLeagues)
    .map(({ league }) => league)
}

export const Sports = () => {
  useTitle("Sports")
  const [query, setQuery] = useQueryState()
  const summary = useRequest<Summary>("/v2/sports/summary", { everyMillis: 15_000 })
  const given = query["status"] ?? "live"
  const status = statuses.some(([value]) => value === given) ? given : "live"
  const chosen = query["league"] ?? ""
  const leagues = summary.data?.leagues ?? []
  const shown = leaguesFor(leagues, status, chosen)
  return (
    <>
      <h1>Sports</h1>
      <form class="row filters" onSubmit={(event) => event.preventDefault()}>
        <Choice
          label="Status of the games"
          value={status}
          options={statuses}
          onChange={(value) => setQuery({ status: value })}
        />
        <Select
          label="League"
          value={chosen}
          options={[["", "Every league"], ...leagues.map(({ league }) => [league, leagueName(league)] as const)]}
          onChange={(value) => setQuery({ league: value })}
        />
      </form>
      {summary.data !== undefined && shown.length === 0 && (
        <Empty>No game is {status} now. The table below says when the next ones start.</Empty>
      )}
      {shown.map((league) => (
        <Games key={`${league} ${status}`} league={league} status={status} />
      ))}
      <h2>Leagues</h2>
      <Show loaded={summary}>{(data) => <LeagueTable leagues={data.leagues} />}</Show>
      <RequestLine path="/v2/sports/summary" />
    </>
  )
}
