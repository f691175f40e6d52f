/**
 * SQL for the price of a share, a whole number of 10⁻⁶: what it pays once its condition is resolved, else that of the
 * newest trade, else the catalogue's; null when nobody has named one. `token` is the name under which a row of the table
 * of that name is at hand.
 */
export const priceSql = (token: string): string => `coalesce(${payoutSql(token)}, ${openPriceSql(token)})`

/** The same of a share that is not paid yet. */
export const openPriceSql = (token: string): string => `coalesce(${lastTradeSql(token)}, ${listedSql(token)})`

/** SQL for what a share pays; null while its condition is open. */
export const payoutSql = (token: string): string => `(
  select round(1000000.0 * coalesce(paying.payouts[${token}.outcome + 1], 0) / (select sum(part) from unnest(paying.payouts) part))::int
  from resolution paying where paying.condition = ${token}.condition)`

// No share ever pays more than 1, whatever somebody gave for one.
const lastTradeSql = (token: string) => `(
  select least(1000000, round(1000000.0 * newest.usd / newest.shares))::int from fill newest
  where newest.token = ${token}.id and newest.shares > 0 order by newest.at desc, newest.log_index desc limit 1)`

// A condition that was listed twice goes by its newest market.
const listedSql = (token: string) => `(
  select (listed.prices ->> ${token}.outcome)::int from market listed
  where listed.condition = ${token}.condition order by listed.id desc limit 1)`

/** SQL for what shares are worth at a price, both whole numbers of 10⁻⁶ that are not negative; rounded half up. */
export const worthSql = (shares: string, price: string): string =>
  `(${shares} / 1000000 * ${price} + (${shares} % 1000000 * ${price} + 500000) / 1000000)`
