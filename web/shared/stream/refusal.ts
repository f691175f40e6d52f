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
  if (status === undefined || status === 0) return { text: "The service does not answer.", final: false }
  if (status === 401 || status === 403) return { text: keyErrors[status] ?? error ?? "", final: true }
  if (status === 429) return { text: error ?? "Too many requests with this key.", final: false }
  if (status >= 500) return { text: error ?? "The service has a problem.", final: false }
  return { text: `The key is good, but the gateway at ${gateway} refuses the connection.`, final: false }
}

/** Advice for refused subscriptions by error code. */
export const refusalAdvice: Readonly<Record<string, string>> = {
  firehose_limit: "Your plan does not include the stream of all fills. Follow one market instead.",
  plan_required: "Your plan does not include the stream of all fills. Follow one market instead.",
  connection_limit: "Your plan has no connection left. Close another one, then reconnect.",
}
