import { assert, describe, it } from "@effect/vitest"
import { shares } from "#src/domain/amounts.ts"
import type { Fact } from "#src/domain/Fact.ts"
import { tokenOfHex } from "#src/domain/TokenId.ts"
import { decodeFacts } from "#src/ledger/batches.ts"
import { intermediaries } from "#src/ledger/interpret/intermediaries.ts"
import { applyFact } from "#src/ledger/positions/applyFacts.ts"
import { emptyPosition } from "#src/ledger/positions/model.ts"
import { PositionBook } from "#src/ledger/positions/PositionBook.ts"
import { decodeLog } from "#src/upstream/chain/decode.ts"
import { isSettlement, isWanted } from "#src/upstream/chain/logFilters.ts"
import type { ChainLog } from "#src/upstream/chain/readLogs.ts"
import { type RecordedScenario, scenarios } from "#test/explain/scenarios.ts"

/** Names and their numbers in the book. */
class Numbering {
  readonly names: Array<string> = []
  readonly #numbers = new Map<string, number>()

  readonly numberOf = (name: string): number => {
    const known = this.#numbers.get(name)
    if (known !== undefined) return known
    this.#numbers.set(name, this.names.length)
    return this.names.push(name) - 1
  }
}

/** The logs that the follower requests, decoded. */
const requestedLogs = ({ transactions }: RecordedScenario): ReadonlyArray<ChainLog> =>
  transactions.flatMap(({ hash, blockNumber, timestamp, logs }) =>
    logs
      .filter((log) => isWanted(log) && !isSettlement(log.topics))
      .map((log): ChainLog => {
        const event = decodeLog(log.address, log)
        if (event._tag === "DecodeFailure") throw new Error(event.reason)
        const [block, logIndex, at] = [blockNumber, log.logIndex, timestamp].map(Number) as [number, number, number]
        return { block, blockHash: "", tx: hash.slice(2), txIndex: 0, logIndex, at: at * 1000, event }
      }),
  )

/** Contracts hold tokens for others, so the ledger keeps no positions of them. */
const isContract = (address: string) => intermediaries.has(address.slice(2))

type Shares = Record<string, Record<string, string>>

/** Shares by wallet and token, without zeros. */
const sharesOf = (all: ReadonlyArray<readonly [wallet: string, token: string, shares: string]>): Shares => {
  const shares: Shares = {}
  for (const [wallet, token, amount] of all) if (amount !== "0") shares[wallet] = { ...shares[wallet], [token]: amount }
  return shares
}

const balances = ({ changes }: RecordedScenario, when: "before" | "after") =>
  changes
    .filter(({ address }) => !isContract(address))
    .flatMap(({ address, tokens = {} }) =>
      Object.entries(tokens).map(([token, balance]) => [address, token, balance[when]] as const),
    )

const hexOf = (token: string) => BigInt(token).toString(16).padStart(64, "0")

/** The shares of all wallets after a scenario, according to the book. */
const bookedShares = (scenario: RecordedScenario, facts: ReadonlyArray<Fact>) => {
  const numbering = new Numbering()
  const { numberOf } = numbering
  const book = new PositionBook()
  for (const [wallet, token, held] of balances(scenario, "before"))
    book.add({ ...emptyPosition(numberOf(wallet.slice(2)), numberOf(hexOf(token))), shares: shares(Number(held)) })
  const ids = { wallet: numberOf, token: numberOf, condition: numberOf, builder: numberOf }
  for (const fact of facts) applyFact(book, fact, ids, () => [])
  return sharesOf(
    book.changed().map(({ wallet, token, shares }) => {
      const [holder, name] = [numbering.names[wallet] ?? "", numbering.names[token] ?? ""]
      return [`0x${holder}`, tokenOfHex(name), String(shares)]
    }),
  )
}

describe("Positions after the logs of the venue's contracts", () => {
  it.each(
    scenarios.map((scenario) => [scenario.id, scenario] as const),
  )("hold what balanceOf reports: %s", (_, scenario) => {
    const { facts } = decodeFacts(requestedLogs(scenario))
    assert.deepStrictEqual(bookedShares(scenario, facts), sharesOf(balances(scenario, "after")))
  })

  it("include the stock of an operator that fills orders and receives fees in shares", () => {
    const holding = scenarios.filter(({ changes }) =>
      changes.some(({ kind, tokens = {} }) => kind === "service" && Object.keys(tokens).length > 0),
    )
    assert.isAbove(holding.length, 10)
    for (const scenario of holding) {
      const { facts } = decodeFacts(requestedLogs(scenario))
      assert.include(
        facts.map(({ kind }) => kind),
        "stock_change",
        scenario.id,
      )
    }
  })
})
