import { Effect } from "effect"
import { address } from "#src/upstream/chain/contracts.ts"
import { type NodeRefusal, saysUnknownBlock, understand } from "#src/upstream/chain/refusals.ts"
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

export const errorText = ({ message = "", data }: NonNullable<Reply["error"]>) =>
  data === undefined ? message : `${message} ${typeof data === "string" ? data : JSON.stringify(data)}`

const keyRefused: ReadonlySet<number> = new Set([401, 403])

/** What an answer means that is no JSON-RPC: the address of a web page, or of another service. */
const strange = (status: number, text: string) => {
  if (keyRefused.has(status)) return `answers ${status}: it does not accept the key in the address`
  const excerpt = text.trim().slice(0, 80).replace(/\s+/g, " ")
  return `answers ${status}, but not as a node does: ${excerpt || "(nothing)"}`
}

/** Why a call has no result, in words, and what the node asks for if it is known. */
export interface CallFailure {
  readonly reason: string
  readonly refusal: NodeRefusal | undefined
}

/** Whether the node has deleted what is asked for, or never had it. */
export const isMissing = ({ reason, refusal }: CallFailure) => refusal?.meaning === "pruned" || saysUnknownBlock(reason)

/** One call; fails with the node's words. */
export const call = (
  url: string,
  method: string,
  params: ReadonlyArray<unknown>,
): Effect.Effect<unknown, CallFailure> => {
  const noAnswer = (reason: string): CallFailure => ({ reason, refusal: undefined })
  const answer = Effect.mapError(ask(url, { jsonrpc: "2.0", id: 1, method, params }), noAnswer)
  return Effect.flatMap(answer, ({ status, text }) => {
    const reply = parsed(text) as Reply | undefined
    const error = typeof reply?.error === "object" && reply.error !== null ? reply.error : undefined
    if (error === undefined && reply?.result !== undefined) return Effect.succeed(reply.result)
    const reason = error === undefined ? strange(status, text) : errorText(error)
    // Some say it with the status of the answer only.
    return Effect.fail({ reason, refusal: understand(error?.code, reason) ?? understand(status, reason) })
  })
}

export const quantity = (value: number) => `0x${value.toString(16)}`
export const fieldOf = (value: unknown, name: string) => (value as Readonly<Record<string, unknown>> | null)?.[name]

/** A topic that no contract has: the answer is empty, however wide the range is. */
const noTopic = `0x${"0".repeat(63)}1`

/** Asks for logs of one contract: some nodes refuse those of all. */
export const logsOf = (url: string, from: number, to: number) =>
  call(url, "eth_getLogs", [
    {
      fromBlock: quantity(from),
      toBlock: quantity(to),
      address: [`0x${address.ctf}`],
      topics: [noTopic],
    },
  ])
