import { cents, compact, duration, usd, whole } from "../../shared/format.ts"
import { withQuery } from "../../shared/request.ts"
import { Chart } from "../../shared/ui/Chart.tsx"
import { RequestLine } from "../../shared/ui/Copy.tsx"
import { Empty, Show } from "../../shared/ui/States.tsx"
import { Stats } from "../../shared/ui/Stats.tsx"
import { useRequest } from "../../shared/useRequest.ts"

interface Level {
  readonly price: number
  readonly size: number
}
interface Book {
  readonly status: "live" | "stale" | "no_book" | "resolved"
  readonly age_ms: number | null
  readonly mid: number | null
  readonly spread: number | null
  readonly bid: { readonly best: number | null; readonly usd: number }
  readonly ask: { readonly best: number | null; readonly usd: number }
  readonly bids: ReadonlyArray<Level>
  readonly asks: ReadonlyArray<Level>
}

/** Shares up to each level, from the best price on. */
const cumulated = (levels: ReadonlyArray<Level>): ReadonlyArray<Level> => {
  let size = 0
  return levels.map((level) => {
    size += level.size
    return { price: level.price, size }
  })
}

const DepthChart = ({ book }: { readonly book: Book }) => {
  const bids = [...cumulated(book.bids)].reverse()
  const asks = cumulated(book.asks)
  const none = (count: number) => Array.from({ length: count }, () => null)
  return (
    <Chart
      isTime={false}
      xs={[...bids, ...asks].map(({ price }) => price)}
      lines={[
        {
          label: "Bids, shares",
          colour: "up",
          kind: "stepsBefore",
          values: [...bids.map(({ size }) => size), ...none(asks.length)],
        },
        {
          label: "Asks, shares",
          colour: "down",
          kind: "steps",
          values: [...none(bids.length), ...asks.map(({ size }) => size)],
        },
      ]}
      format={compact}
      formatX={cents}
      labelX="Price"
      summary={`Order book: ${whole(book.bids.length)} bids up to ${cents(book.bid.best)}, ${whole(book.asks.length)} asks from ${cents(book.ask.best)}`}
    />
  )
}

const withoutBook = {
  no_book: "The venue has no order book for this outcome.",
  resolved: "The market is resolved: trading is over.",
} as const

export const Depth = ({ token, outcome }: { readonly token: string; readonly outcome: string }) => {
  const path = withQuery(`/v3/markets/${token}/depth`, { levels: 100 })
  const loaded = useRequest<Book>(path, { everyMillis: 5000 })
  return (
    <article aria-labelledby="depth-title">
      <h2 id="depth-title">Order book of {outcome}</h2>
      <Show loaded={loaded}>
        {(book) =>
          book.status === "no_book" || book.status === "resolved" ? (
            <Empty>{withoutBook[book.status]}</Empty>
          ) : (
            <>
              <Stats
                items={[
                  { label: "Best bid", value: cents(book.bid.best), tone: "up" },
                  { label: "Best ask", value: cents(book.ask.best), tone: "down" },
                  { label: "Spread", value: cents(book.spread) },
                  { label: "Bids", value: usd(book.bid.usd) },
                  { label: "Asks", value: usd(book.ask.usd) },
                ]}
              />
              {book.bids.length + book.asks.length === 0 ? (
                <Empty>The order book is empty.</Empty>
              ) : (
                <DepthChart book={book} />
              )}
              {book.status === "stale" && (
                <p class="small caution">The venue does not answer. This book is {duration(book.age_ms)} old.</p>
              )}
            </>
          )
        }
      </Show>
      <RequestLine path={path} />
    </article>
  )
}
