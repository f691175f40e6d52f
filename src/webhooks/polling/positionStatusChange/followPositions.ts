import { type Shares, shares } from "#src/domain/amounts.ts"
import type { PositionStatus } from "#src/ledger/positions/model.ts"
import type { Followed } from "./HoldingStore.ts"

export interface ShareMove {
  readonly wallet: number
  readonly token: number
  readonly delta: Shares<bigint>
  readonly since: number
}

/** A fact that moves shares, or resolves the condition of some tokens. */
export interface ShareFact {
  readonly kind: string
  readonly block: number
  readonly logIndex: number
  readonly moves: ReadonlyArray<ShareMove>
  readonly resolved: ReadonlyArray<number>
}

/** A position whose status changed. */
export interface StatusChange<F> {
  readonly fact: F
  readonly wallet: number
  readonly token: number
  readonly from: PositionStatus
  readonly to: PositionStatus
  readonly before: Shares<bigint>
  readonly after: Shares<bigint>
}

export interface UndoRow {
  readonly block: number
  readonly wallet: number
  readonly token: number
  readonly shares: Shares<bigint> | null
  readonly status: PositionStatus | null
}

export interface FollowResult<F> {
  readonly changes: ReadonlyArray<StatusChange<F>>
  readonly holdings: ReadonlyMap<string, Followed>
  /** Positions before each block that touched them. */
  readonly undo: ReadonlyMap<string, UndoRow>
}

type LogPosition = Pick<ShareFact, "block" | "logIndex">

const isBefore = (a: LogPosition | undefined, b: LogPosition): boolean =>
  a !== undefined && (a.block < b.block || (a.block === b.block && a.logIndex < b.logIndex))

export const holdingKey = (wallet: number, token: number) => `${wallet} ${token}`

/** The status after a fact. A position that was empty and stays empty keeps its status. */
const statusAfter = (
  from: PositionStatus,
  held: Shares<bigint>,
  isResolved: boolean,
  isRedemption: boolean,
): PositionStatus => {
  if (held > 0n) return isResolved ? "redeemable" : "open"
  if (from !== "open" && from !== "redeemable") return from
  return isRedemption ? "redeemed" : "closed"
}

/** Applies facts in chain order to the positions that they concern. */
export const followPositions = <F extends ShareFact>(
  known: Iterable<Followed>,
  facts: Iterable<F>,
  resolvedAt: ReadonlyMap<number, LogPosition>,
): FollowResult<F> => {
  const current = new Map<string, Followed>()
  const ofToken = new Map<number, Set<string>>()
  const changed = new Map<string, Followed>()
  const undo = new Map<string, UndoRow>()
  const changes: Array<StatusChange<F>> = []

  const set = (holding: Followed) => {
    const key = holdingKey(holding.wallet, holding.token)
    current.set(key, holding)
    const keys = ofToken.get(holding.token)
    if (keys === undefined) ofToken.set(holding.token, new Set([key]))
    else keys.add(key)
  }

  const apply = (fact: F, { wallet, token, delta, since }: ShareMove) => {
    if (fact.block <= since) return
    const key = holdingKey(wallet, token)
    const before = current.get(key)
    const from = before?.status ?? "none"
    const held = shares((before?.shares ?? 0n) + delta)
    const isResolved = fact.resolved.includes(token) || isBefore(resolvedAt.get(token), fact)
    const to = statusAfter(from, held, isResolved, fact.kind === "redemption")
    if (delta === 0n && to === from) return
    const undoKey = `${fact.block} ${key}`
    if (!undo.has(undoKey)) {
      undo.set(undoKey, {
        block: fact.block,
        wallet,
        token,
        shares: before?.shares ?? null,
        status: before?.status ?? null,
      })
    }
    const holding = { wallet, token, shares: held, status: to, since }
    set(holding)
    changed.set(key, holding)
    if (to !== from) changes.push({ fact, wallet, token, from, to, before: before?.shares ?? shares(0n), after: held })
  }

  for (const holding of known) set(holding)
  for (const fact of facts) {
    for (const move of fact.moves) apply(fact, move)
    for (const token of fact.resolved) {
      for (const key of [...(ofToken.get(token) ?? [])].sort()) {
        const holding = current.get(key)
        if (holding !== undefined) apply(fact, { ...holding, delta: shares(0n) })
      }
    }
  }
  return { changes, holdings: changed, undo }
}
