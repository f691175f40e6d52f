import { key } from "./key.ts"

/** Why a request failed, with what the viewer can do about it. */
export class Failure extends Error {
  /** 0 when the service did not answer. */
  readonly status: number
  readonly hint: string | undefined
  readonly retryAfterSeconds: number | undefined
  /** The plan that has what the key's plan lacks. */
  readonly requiredPlan: string | undefined

  constructor(
    status: number,
    text: string,
    hint?: string,
    more: { retryAfterSeconds?: number; requiredPlan?: string } = {},
  ) {
    super(text)
    this.status = status
    this.hint = hint
    this.retryAfterSeconds = more.retryAfterSeconds
    this.requiredPlan = more.requiredPlan
  }

  get isAway(): boolean {
    return this.status === 0
  }

  /** The key itself is refused, so that another one is needed. */
  get isKeyRefused(): boolean {
    return this.status === 401 || (this.status === 403 && this.requiredPlan === undefined)
  }
}

export interface RequestOptions {
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"
  readonly body?: unknown
  readonly signal?: AbortSignal
  /** Instead of the API key of this tab. */
  readonly headers?: Readonly<Record<string, string>>
}

const asText = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)

/** Programs read when a limit resets in Unix seconds; people read how long to wait. */
const withoutMoment = (text: string) => text.replace(/ Retry after \d+\.$/, "")

const failureOf = async (response: Response): Promise<Failure> => {
  const body: unknown = await response.json().catch(() => undefined)
  const fields = typeof body === "object" && body !== null ? (body as Record<string, unknown>) : {}
  const after = Number(response.headers.get("retry-after") ?? Number.NaN)
  const text = asText(fields["error"]) ?? `The service answered with status ${response.status}.`
  const requiredPlan = asText(fields["required_plan"])
  return new Failure(response.status, withoutMoment(text), asText(fields["hint"]), {
    ...(Number.isFinite(after) ? { retryAfterSeconds: after } : {}),
    ...(requiredPlan === undefined ? {} : { requiredPlan }),
  })
}

/** Sends a request with the key of this tab; fails with a `Failure`. */
export const send = async (path: string, options: RequestOptions = {}): Promise<Response> => {
  const { method = "GET", body, signal, headers } = options
  const auth: Record<string, string> = key.value === "" ? {} : { "x-api-key": key.value }
  const content: Record<string, string> = body === undefined ? {} : { "content-type": "application/json" }
  const response = await fetch(path, {
    method,
    headers: { ...(headers ?? auth), ...content },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
    credentials: "omit",
    cache: "no-store",
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error
    throw new Failure(0, "The service does not answer.", "It may be restarting. This page tries again by itself.")
  })
  if (!response.ok) throw await failureOf(response)
  return response
}

/** The JSON answer of a request. `A` is the part of the documented shape that the page uses. */
export const request = async <A>(path: string, options: RequestOptions = {}): Promise<A> => {
  const response = await send(path, options)
  return (response.status === 204 ? undefined : await response.json()) as A
}

/** A path with its query; parameters that are undefined or empty are left out. */
export const withQuery = (
  path: string,
  query: Readonly<Record<string, string | number | boolean | undefined>>,
): string => {
  const entries = Object.entries(query).filter(([, value]) => value !== undefined && value !== "")
  const text = new URLSearchParams(entries.map(([name, value]) => [name, String(value)])).toString()
  return text === "" ? path : `${path}?${text}`
}
