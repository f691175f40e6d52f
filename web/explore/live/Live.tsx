import { useEffect, useRef, useState } from "preact/hooks"
import { decimal, duration, unknown, whole } from "../../shared/format.ts"
import { key } from "../../shared/key.ts"
import { now } from "../../shared/stream/connect.ts"
import { CopyButton } from "../../shared/ui/Copy.tsx"
import { Empty, Notice } from "../../shared/ui/States.tsx"
import { Stats } from "../../shared/ui/Stats.tsx"
import { Time } from "../../shared/ui/Time.tsx"
import { useQueryState } from "../../shared/useQueryState.ts"
import { useTitle } from "../useTitle.ts"
import { FillFilters } from "./FillFilters.tsx"
import { Fills } from "./Fills.tsx"
import { type FillFilters as Filters, LiveSession, requestOf } from "./LiveSession.ts"
import type { Fill, LiveState } from "./liveState.ts"
import { Prices } from "./Prices.tsx"

const refreshMillis = 250

/** The session of this view, and a new rendering four times a second. */
const useSession = (filters: Filters): LiveSession | undefined => {
  const [session, setSession] = useState<LiveSession>()
  const [, setRound] = useState(0)
  const wanted = useRef(filters)
  wanted.current = filters
  const currentKey = key.value
  useEffect(() => {
    const opened = new LiveSession(currentKey, wanted.current)
    setSession(opened)
    const timer = setInterval(() => setRound((round) => round + 1), refreshMillis)
    return () => {
      clearInterval(timer)
      opened.stop()
    }
  }, [currentKey])
  const { market, side, minUsd } = filters
  useEffect(() => session?.follow(wanted.current), [session, market, side, minUsd])
  return session
}

const Figures = ({ session }: { readonly session: LiveSession }) => {
  const { state, reconnects } = session
  const rate = state.perSecond(now())
  const lag = (millis: number | undefined) => (millis === undefined ? unknown : duration(millis))
  const alarm = (count: number) => (count > 0 ? "caution" : "")
  return (
    <Stats
      items={[
        { label: "Messages per second", value: rate < 10 ? decimal(rate, 1) : whole(rate), id: "rate" },
        { label: "Price lag", value: lag(state.priceLag), id: "price-lag" },
        { label: "Fill lag", value: lag(state.fillLag), id: "fill-lag" },
        { label: "Event", value: state.seq === 0 ? unknown : `#${state.seq}`, id: "seq" },
        { label: "Gaps", value: whole(state.gaps), tone: alarm(state.gaps), id: "gaps" },
        { label: "Reconnects", value: whole(reconnects), tone: alarm(reconnects), id: "reconnects" },
      ]}
    />
  )
}

const Sources = ({ state }: { readonly state: LiveState }) => {
  const sources = [...state.sources.values()].sort(
    (a, b) => Number(b.isStale) - Number(a.isStale) || a.name.localeCompare(b.name),
  )
  return (
    <article>
      <div class="spread">
        <h2>Sources</h2>
        <span class="small muted">
          {state.heartbeatAt === undefined ? "" : `heartbeat ${duration(now() - state.heartbeatAt)} ago`}
        </span>
      </div>
      {sources.length === 0 && <Empty>The first heartbeat arrives within 30 seconds.</Empty>}
      <ul id="sources" class="plain">
        {sources.map(({ name, age, isStale }) => (
          <li key={name} class={`spread ${isStale ? "down" : ""}`}>
            <span>{name.replaceAll("_", " ")}</span>
            <span class="figures">
              {isStale ? "stale, " : ""}
              {age === undefined ? "unknown" : duration(age)}
            </span>
          </li>
        ))}
      </ul>
    </article>
  )
}

const Journal = ({ session }: { readonly session: LiveSession }) => (
  <article>
    <h2>Journal</h2>
    <div role="log" aria-label="Journal">
      <ol id="journal" class="plain">
        {session.journal.map(({ id, at, text }) => (
          <li key={id}>
            <span class="muted figures small">
              <Time at={at} style="clock" />
            </span>{" "}
            {text}
          </li>
        ))}
      </ol>
    </div>
  </article>
)

/** While paused, what was shown stays, and newer fills are counted. */
const usePause = (state: LiveState | undefined) => {
  const [held, setHeld] = useState<{ readonly fills: ReadonlyArray<Fill>; readonly total: number }>()
  const total = state?.totals.fills ?? 0
  return {
    fills: held?.fills ?? state?.fills ?? [],
    isPaused: held !== undefined,
    waiting: held === undefined ? 0 : total - held.total,
    toggle: () => setHeld(held === undefined ? { fills: state?.fills ?? [], total } : undefined),
    release: () => setHeld(undefined),
  }
}

export const Live = () => {
  useTitle("Live")
  const [query, setQuery] = useQueryState()
  const filters = { market: query["market"] ?? "", side: query["side"] ?? "", minUsd: query["min"] ?? "" }
  const session = useSession(filters)
  const { fills, isPaused, waiting, toggle, release } = usePause(session?.state)
  if (session === undefined) return <Empty>Connecting…</Empty>
  const { state, status } = session
  const { first: _, ...message } = requestOf(filters)
  const subscribe = JSON.stringify({ action: "subscribe", ...message })
  return (
    <>
      <div class="spread">
        <h1>Live</h1>
        <span id="state" class="state" data-state={status.name} role="status">
          {status.name === "stopped" ? "Not connected" : status.text}
        </span>
      </div>
      {status.name === "stopped" && (
        <Notice kind="error">
          <p>
            <strong>{status.text}</strong>
          </p>
          <button type="button" class="small" onClick={() => (key.value = "")}>
            Use another key
          </button>
        </Notice>
      )}
      <Figures session={session} />
      <Prices state={state} serverTime={state.serverTime(now())} />
      <div class="main-and-side">
        <section>
          <div class="spread">
            <h2 id="fills-title">Fills</h2>
            <span id="following" class="small muted">
              {session.isFollowing && session.problem === undefined ? filters.market || "every market" : ""}
            </span>
            <button type="button" class="small outline" aria-pressed={isPaused} onClick={toggle}>
              {isPaused ? `Resume (${whole(waiting)} new)` : "Pause"}
            </button>
          </div>
          <FillFilters
            filters={filters}
            onChange={({ market, side, minUsd }) => {
              release()
              setQuery({ market, side, min: minUsd })
            }}
          />
          {session.problem !== undefined && (
            <div id="fills-problem">
              <Notice kind="caution">
                <p>{session.problem}</p>
              </Notice>
            </div>
          )}
          {fills.length === 0 && session.problem === undefined ? (
            <Empty>
              {filters.market === "" && filters.side === "" && filters.minUsd === ""
                ? "Waiting for the first fill…"
                : "No fill matched yet. New ones appear here as they happen."}
            </Empty>
          ) : (
            <Fills fills={fills} />
          )}
          <p class="spread small muted">
            <code>{subscribe}</code>
            <CopyButton text={subscribe} label="Copy as message" />
          </p>
        </section>
        <aside>
          <Sources state={state} />
          <Journal session={session} />
        </aside>
      </div>
    </>
  )
}
