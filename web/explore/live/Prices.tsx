import { useEffect } from "preact/hooks"
import { duration, signClass } from "../../shared/format.ts"
import { request, withQuery } from "../../shared/request.ts"
import { RequestLine } from "../../shared/ui/Copy.tsx"
import { Sparkline } from "../../shared/ui/Sparkline.tsx"
import { Empty } from "../../shared/ui/States.tsx"
import { change, coinPrice } from "./format.ts"
import type { LiveState, Price } from "./liveState.ts"

/** A feed whose newest price is older than this is late. */
const lateAfter = 10_000
const candleMillis = 300_000

const candlesPath = (symbol: string) => withQuery("/v1/crypto/candles", { symbol })
const coinOf = (feed: string) => feed.replace("/USD", "")

interface Candles {
  readonly candles: ReadonlyArray<{ readonly time: number; readonly open: number; readonly close: number }>
}

/** As many as the service returns once it has read them. */
const allCandles = 30
const retryMillis = 10_000

/** A sparkline begins with the candles of the last two and a half hours. A service that has just started has fewer at first. */
const useHistory = (state: LiveState, feeds: ReadonlyArray<string>) => {
  useEffect(() => {
    const abort = new AbortController()
    const timers = new Set<ReturnType<typeof setTimeout>>()
    const load = async (feed: string): Promise<void> => {
      const { candles } = await request<Candles>(candlesPath(coinOf(feed)), { signal: abort.signal }).catch(
        (): Candles => ({ candles: [] }),
      )
      if (abort.signal.aborted) return
      const opens = candles.slice(0, 1).map(({ time, open }) => ({ at: time * 1000, price: open }))
      const closes = candles.map(({ time, close }) => ({ at: time * 1000 + candleMillis - 1, price: close }))
      state.addHistory(feed, [...opens, ...closes])
      if (candles.length < allCandles) timers.add(setTimeout(() => void load(feed), retryMillis))
    }
    for (const feed of feeds) void load(feed)
    return () => {
      abort.abort()
      for (const timer of timers) clearTimeout(timer)
    }
  }, [state, feeds.join()])
}

const Card = ({ price, serverTime }: { readonly price: Price; readonly serverTime: number }) => {
  const first = price.history[0]
  const age = serverTime - price.at
  const isLate = age > lateAfter
  const from = first?.price ?? price.price
  return (
    <li data-at={price.at} data-points={price.history.length}>
      <p class="spread small">
        <b>{coinOf(price.feed)}</b>
        <span class={isLate ? "down" : "muted"}>{isLate ? `late, ${duration(age)}` : duration(age)}</span>
      </p>
      <p class="figures price">
        ${coinPrice(price.price)}{" "}
        <span class={signClass(price.move)} aria-hidden="true">
          {price.move > 0 ? "▲" : price.move < 0 ? "▼" : ""}
        </span>
      </p>
      <Sparkline points={price.history.map(({ at, price: value }) => [at, value])} />
      <p class="spread small">
        <span class="muted span">{first === undefined ? "" : `last ${duration(price.at - first.at)}`}</span>
        <span class={`figures change ${signClass(price.price - from)}`}>{change(from, price.price)}</span>
      </p>
    </li>
  )
}

export const Prices = ({ state, serverTime }: { readonly state: LiveState; readonly serverTime: number }) => {
  useHistory(state, state.feeds)
  const order = (feed: string) => state.feeds.indexOf(feed)
  const prices = [...state.prices.values()].sort((a, b) => order(a.feed) - order(b.feed))
  return (
    <section aria-labelledby="prices-title">
      <h2 id="prices-title">Prices</h2>
      {prices.length === 0 && <Empty>Waiting for the first price…</Empty>}
      <ul id="prices" class="prices">
        {prices.map((price) => (
          <Card key={price.feed} price={price} serverTime={serverTime} />
        ))}
      </ul>
      <RequestLine path={candlesPath("BTC")} />
    </section>
  )
}
