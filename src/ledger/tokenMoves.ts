import { adapters } from "#src/upstream/chain/contracts.ts"
import type { ChainLog } from "#src/upstream/chain/readLogs.ts"

/** Tokens that one log moves between two addresses. */
export interface TokenMove {
  /** Index of the log in its transaction. */
  readonly index: number
  readonly from: string
  readonly to: string
  readonly tokens: ReadonlyArray<string>
  readonly amounts: ReadonlyArray<number>
}

const sameTokens = (a: ReadonlyArray<string>, b: ReadonlyArray<string>) =>
  a.length === b.length && a.every((token, i) => token === b[i])

/** All token moves of a transaction. */
export class TokenMoves {
  readonly all: ReadonlyArray<TokenMove>

  constructor(logs: ReadonlyArray<ChainLog>) {
    this.all = logs.flatMap(({ event }, index): ReadonlyArray<TokenMove> => {
      if (event._tag === "TransferBatch") return [{ index, ...event }]
      if (event._tag !== "TransferSingle") return []
      const { from, to, token, amount } = event
      return [{ index, from, to, tokens: [token], amounts: [amount] }]
    })
  }

  /** The last matching move before a log. */
  lastBefore(index: number, test: (move: TokenMove) => boolean): TokenMove | undefined {
    return this.all.findLast((move) => move.index < index && test(move))
  }

  /** Follows minted tokens from adapter to adapter to their recipient; undefined if they are split up. */
  recipientOf(holder: string, minted: TokenMove): string | undefined {
    let [current, at] = [holder, minted.index]
    while (adapters.has(current)) {
      const next = this.all.find(
        (move) => move.index > at && move.from === current && sameTokens(move.tokens, minted.tokens),
      )
      if (next === undefined) return undefined
      current = next.to
      at = next.index
    }
    return current
  }

  /** Follows tokens back from adapter to adapter to their owner. */
  ownerOf(holder: string, given: TokenMove): string {
    let [current, at] = [holder, given.index]
    while (adapters.has(current)) {
      const previous = this.lastBefore(at, (move) => move.to === current && sameTokens(move.tokens, given.tokens))
      if (previous === undefined) return current
      current = previous.from
      at = previous.index
    }
    return current
  }
}
