import { askWith } from "./keys.ts"

/** An IP address, to avoid a DNS lookup. */
export const url = "https://93.184.216.34/hook"

/** Sends a request with a key and a body of JSON or any text. */
export const send = (key: string, method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  askWith(key, path, {
    method,
    headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  })

export const create = (key: string, body: object = {}, headers: Record<string, string> = {}) =>
  send(key, "POST", "/v3/webhooks", { url, event_types: ["trade"], ...body }, headers)
