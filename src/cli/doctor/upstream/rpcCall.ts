import { Effect } from "effect"
import { ask } from "./ask.ts"

export interface Reply {
  readonly result?: unknown
  readonly error?: { readonly code?: number; readonly message?: string; readonly data?: unknown }
}

export const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export const textOf = ({ message = "", data }: NonNullable<Reply["error"]>) =>
  data === undefined ? message : `${message} ${typeof data === "string" ? data : JSON.stringify(data)}`

const keyRefused: ReadonlySet<number> = new Set([401, 403])

/** What an answer means that is no JSON-RPC: the address of a web page, or of another service. */
const strange = (status: number, text: string) => {
  if (keyRefused.has(status)) return `answers ${status}: it does not accept the key in the address`
  const excerpt = text.trim().slice(0, 80).replace(/\s+/g, " ")
  return `answers ${status}, but not as a node does: ${excerpt || "(nothing)"}`
}

/** One call; fails with the node's words. */
export const call = (url: string, method: string, params: ReadonlyArray<unknown>) =>
  Effect.flatMap(ask(url, { jsonrpc: "2.0", id: 1, method, params }), ({ status, text }) => {
    const reply = parsed(text) as Reply | undefined
    if (typeof reply?.error === "object" && reply.error !== null) return Effect.fail(textOf(reply.error))
    return reply?.result === undefined ? Effect.fail(strange(status, text)) : Effect.succeed(reply.result)
  })

export const quantity = (value: number) => `0x${value.toString(16)}`
export const fieldOf = (value: unknown, name: string) => (value as Readonly<Record<string, unknown>> | null)?.[name]

/** A topic that no contract has: the answer is empty, however wide the range is. */
const noTopic = `0x${"0".repeat(63)}1`

export const logsOf = (url: string, from: number, to: number) =>
  call(url, "eth_getLogs", [{ fromBlock: quantity(from), toBlock: quantity(to), topics: [noTopic] }])
