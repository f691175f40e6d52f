/**
 * SQL for the price of a share, a whole number of 10⁻⁶: the payout once its condition is resolved, else the price of the
 * newest trade, else the catalogue's; null if there is none. `token` is the alias of a row of the table `token`.
 */
export const priceSql = (token: string): string => `coalesce(${payoutSql(token)}, ${openPriceSql(token)})`

/** SQL for the price of a share whose condition is open. */
export const openPriceSql = (token: string): string => `coalesce(${lastTradeSql(token)}, ${listedSql(token)})`

/** SQL for the payout of a share, which is kept with its token; null while its condition is open. */
export const payoutSql = (token: string): string => `${token}.payout`

/** SQL for the price of a trade. No share pays more than 1, whatever the trade paid for it. */
export const tradePriceSql = (usd: string, shares: string): string =>
  `least(1000000, round(1000000.0 * ${usd} / ${shares}))::int`

export const lastTradeSql = (token: string) => `(
  select ${tradePriceSql("newest.usd", "newest.shares")} from fill newest
  where newest.token = ${token}.id and newest.shares > 0 order by newest.at desc, newest.block desc, newest.log_index desc limit 1)`

// A condition that is listed twice takes the price of its newest market.
export const listedSql = (token: string) => `(
  select (listed.prices ->> ${token}.outcome)::int from market listed
  where listed.condition = ${token}.condition order by listed.id desc limit 1)`

/** SQL for the value of shares at a price, both non-negative whole numbers of 10⁻⁶; rounded half up. */
export const worthSql = (shares: string, price: string): string =>
  `(${shares} / 1000000 * ${price} + (${shares} % 1000000 * ${price} + 500000) / 1000000)`
