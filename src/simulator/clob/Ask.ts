import type { Query } from "../gamma/Query.ts"
import { bad } from "./refusal.ts"

/** A request for one route. */
export interface Ask {
  readonly query: Query
  /** What the path names. */
  readonly key: string
  readonly body: string
}

/** Answers with JSON. */
export type Route = (ask: Ask) => string
/** By method and path; a star stands for what the path names. */
export type Routes = Readonly<Record<string, Route>>

/** Routes that answer with a small value. */
export const plain = (routes: Readonly<Record<string, (ask: Ask) => unknown>>): Routes =>
  Object.fromEntries(Object.entries(routes).map(([path, of]) => [path, (ask) => JSON.stringify(of(ask))]))

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const parsed = (body: string): unknown => {
  try {
    return JSON.parse(body)
  } catch {
    throw bad("Invalid payload")
  }
}

export const recordIn = (body: string): Readonly<Record<string, unknown>> => {
  const value = parsed(body)
  if (!isRecord(value)) throw bad("Invalid payload")
  return value
}

const mostTokens = 500

export interface TokenAsk {
  readonly id: string
  readonly side: string | undefined
}

const tokenAsk = (item: unknown): TokenAsk => {
  if (!isRecord(item)) throw bad("Invalid payload")
  const { token_id: id, side } = item
  if (typeof id !== "string") throw bad("Invalid token id")
  if (side !== undefined && side !== null && typeof side !== "string") throw bad("Invalid side")
  return { id, side: side || undefined }
}

/** The tokens that a batch asks for. */
export const tokensIn = (body: string): ReadonlyArray<TokenAsk> => {
  const list = parsed(body)
  if (!Array.isArray(list)) throw bad("Invalid payload")
  if (list.length > mostTokens) throw bad("Payload exceeds the limit")
  return list.map(tokenAsk)
}
