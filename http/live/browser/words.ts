/** "0.4 s", "12 s", "3 min", "2 h": as exact as is of use. */
export const duration = (millis: number): string => {
  const seconds = Math.max(0, millis) / 1000
  if (seconds < 10) return `${seconds.toFixed(1)} s`
  if (seconds < 120) return `${Math.round(seconds)} s`
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`
  return `${Math.round(seconds / 3600)} h`
}

/** As many decimals as a price of this size is quoted with. */
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

const keyWords: Readonly<Record<number, string>> = {
  401: "This key is not known here. Check that all of it was pasted.",
  403: "This key was revoked or its account is no longer active.",
}

/** What an answer of the service to a question with the key says about a connection that was refused. */
export const whyRefused = (
  status: number | undefined,
  error: string | undefined,
  gateway: string,
): { readonly words: string; readonly final: boolean } => {
  if (status === undefined) return { words: "The service does not answer.", final: false }
  if (status === 401 || status === 403) return { words: keyWords[status] ?? error ?? "", final: true }
  if (status === 429) return { words: error ?? "Too many requests with this key.", final: false }
  if (status >= 500) return { words: error ?? "The service has trouble.", final: false }
  return { words: `The key is good, but the gateway at ${gateway} does not let us in.`, final: false }
}

/** What to do about a subscription that was refused. */
export const refusalAdvice: Readonly<Record<string, string>> = {
  firehose_limit: "Your plan does not include every fill at once. Follow one market instead:",
  plan_required: "Your plan does not include every fill at once. Follow one market instead:",
  connection_limit: "Your plan has no connection left: close another one, then connect again.",
}
