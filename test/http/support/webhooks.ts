import { askWith } from "./keys.ts"

/** An address, so that no name has to be looked up. */
export const url = "https://93.184.216.34/hook"

/** Asks with a key, with a body that is JSON or whatever text it is. */
export const send = (key: string, method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  askWith(key, path, {
    method,
    headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  })

export const create = (key: string, body: object = {}, headers: Record<string, string> = {}) =>
  send(key, "POST", "/v3/webhooks", { url, event_types: ["trade"], ...body }, headers)
