/** "0.4 s", "12 s", "3 min", "2 h". */
export const duration = (millis: number): string => {
  const seconds = Math.max(0, millis) / 1000
  if (seconds < 10) return `${seconds.toFixed(1)} s`
  if (seconds < 120) return `${Math.round(seconds)} s`
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`
  return `${Math.round(seconds / 3600)} h`
}

/** The number of decimals depends on the magnitude. */
export const coinPrice = (price: number): string => {
  const decimals = price >= 1000 ? 2 : price >= 1 ? 3 : 5
  return price.toLocaleString("en", { minimumFractionDigits: decimals, maximumFractionDigits: decimals })
}

/** A price of a share: 0.425 → "42.5¢". */
export const sharePrice = (price: number): string =>
  `${(price * 100).toLocaleString("en", { maximumFractionDigits: 1 })}¢`

export const dollars = (amount: number): string =>
  `$${amount.toLocaleString("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`

export const whole = (value: number): string => Math.round(value).toLocaleString("en")

export const clockTime = (at: number): string => new Date(at).toLocaleTimeString("en-GB")

const keyErrors: Readonly<Record<number, string>> = {
  401: "This key is not known here. Check that it was pasted completely.",
  403: "This key was revoked or its account is no longer active.",
}

/** Explains a refused connection by the answer to a REST request with the same key. */
export const refusalReason = (
  status: number | undefined,
  error: string | undefined,
  gateway: string,
): { readonly text: string; readonly final: boolean } => {
  if (status === undefined) return { text: "The service does not answer.", final: false }
  if (status === 401 || status === 403) return { text: keyErrors[status] ?? error ?? "", final: true }
  if (status === 429) return { text: error ?? "Too many requests with this key.", final: false }
  if (status >= 500) return { text: error ?? "The service has a problem.", final: false }
  return { text: `The key is good, but the gateway at ${gateway} refuses the connection.`, final: false }
}

/** Advice for refused subscriptions by error code. */
export const refusalAdvice: Readonly<Record<string, string>> = {
  firehose_limit: "Your plan does not include the stream of all fills. Follow one market instead:",
  plan_required: "Your plan does not include the stream of all fills. Follow one market instead:",
  connection_limit: "Your plan has no connection left. Close another one, then reconnect.",
}
