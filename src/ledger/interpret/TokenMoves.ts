import { type Shares, shares } from "#src/domain/amounts.ts"
import { address } from "#src/upstream/chain/contracts.ts"
import type { ChainLog } from "#src/upstream/chain/readLogs.ts"
import { relays } from "./intermediaries.ts"

/** Tokens that one log moves between two addresses. */
export interface TokenMove {
  /** Index of the log in its transaction. */
  readonly index: number
  readonly operator: string
  readonly from: string
  readonly to: string
  readonly tokens: ReadonlyArray<string>
  readonly amounts: ReadonlyArray<Shares>
}

export interface TokenAmount {
  readonly token: string
  readonly shares: Shares
}

const isMoveOf = ({ tokens, amounts }: TokenMove, token: string) => (amounts[tokens.indexOf(token)] ?? 0) > 0

const sameTokens = (a: ReadonlyArray<string>, b: ReadonlyArray<string>) =>
  a.length === b.length && a.every((token, i) => token === b[i])

/** The tokens of some moves, without empty ones. */
export const amountsOf = (moves: ReadonlyArray<TokenMove>): ReadonlyArray<TokenAmount> =>
  moves
    .flatMap(({ tokens, amounts }) => tokens.map((token, i) => ({ token, shares: amounts[i] ?? shares(0) })))
    .filter(({ shares }) => shares > 0)

/** All token moves of a transaction. */
export class TokenMoves {
  readonly all: ReadonlyArray<TokenMove>

  constructor(logs: ReadonlyArray<ChainLog>) {
    this.all = logs.flatMap(({ event }, index): ReadonlyArray<TokenMove> => {
      if (event._tag === "TransferBatch") return [{ index, ...event }]
      if (event._tag !== "TransferSingle") return []
      const { operator, from, to, token, amount } = event
      return [{ index, operator, from, to, tokens: [token], amounts: [amount] }]
    })
  }

  /** The last matching move before a log. */
  lastBefore(index: number, test: (move: TokenMove) => boolean): TokenMove | undefined {
    return this.all.findLast((move) => move.index < index && test(move))
  }

  /** Matching moves between two logs. */
  between(after: number, before: number, test: (move: TokenMove) => boolean): ReadonlyArray<TokenMove> {
    return this.all.filter((move) => move.index > after && move.index < before && test(move))
  }

  /** Burns of the holder between two logs. */
  burns(holder: string, after: number, before: number): ReadonlyArray<TokenMove> {
    return this.between(after, before, ({ from, to }) => from === holder && to === address.zero)
  }

  /** Follows minted tokens from relay to relay to their recipient; undefined if they are split up. */
  recipientOf(holder: string, minted: TokenMove): string | undefined {
    let [current, at] = [holder, minted.index]
    while (relays.has(current)) {
      const next = this.all.find(
        ({ index, from, tokens }) =>
          index > at && from === current && tokens.some((token) => minted.tokens.includes(token)),
      )
      if (next === undefined || !sameTokens(next.tokens, minted.tokens)) return undefined
      current = next.to
      at = next.index
    }
    return current
  }

  /** The addresses that a token passed on its way to the holder, from the holder back to its owner. */
  pathTo(holder: string, token: string, before: number): ReadonlyArray<string> {
    const path = [holder]
    let [current, at] = [holder, before]
    while (relays.has(current)) {
      const previous = this.lastBefore(at, (move) => move.to === current && isMoveOf(move, token))
      if (previous === undefined) break
      current = previous.from
      at = previous.index
      path.push(current)
    }
    return path
  }

  /** Follows a token back from relay to relay to its owner. */
  ownerOf(holder: string, token: string, before: number): string {
    return this.pathTo(holder, token, before).at(-1) as string
  }
}
