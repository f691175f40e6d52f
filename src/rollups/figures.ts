/** What is kept of the trades of a token in some time, in the order of `summedSql`. */
export const figures = "trades, buys, shares, usd, buy_usd, open, high, low, close, first, last"

/** Adds up trades that have a `price` and a `place` in the order of the chain. */
export const summedSql = `
  count(*)::int as trades, (count(*) filter (where is_buy))::int as buys, total(shares) as shares, total(usd) as usd,
  total(case when is_buy then usd else 0 end) as buy_usd, (array_agg(price order by place))[1] as open, max(price) as high,
  min(price) as low, (array_agg(price order by place))[count(*)] as close, min(place) as first, max(place) as last`

/** Adds the figures of trades, all of them earlier or later, to those of a row `d`. */
export const mergedSql = `
  trades = d.trades + excluded.trades, buys = d.buys + excluded.buys, shares = d.shares + excluded.shares,
  usd = d.usd + excluded.usd, buy_usd = d.buy_usd + excluded.buy_usd,
  open = case when excluded.first < d.first then excluded.open else d.open end,
  high = greatest(d.high, excluded.high), low = least(d.low, excluded.low),
  close = case when excluded.last > d.last then excluded.close else d.close end,
  first = least(d.first, excluded.first), last = greatest(d.last, excluded.last)`
