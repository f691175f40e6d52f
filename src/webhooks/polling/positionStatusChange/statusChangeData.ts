import { exactAmount } from "#src/domain/amounts.ts"
import { isoOf } from "#src/domain/time.ts"
import type { Names } from "#src/feed/Names.ts"
import type { PositionStatusChangeData } from "../../payloadSchemas.ts"
import { tokenFacets } from "../facets.ts"
import type { Occurrence } from "../model.ts"
import { chainFields, eventOf, marketOfToken } from "../payloadFields.ts"
import { occurrence } from "../stateless.ts"
import type { ShareFact, StatusChange } from "./followPositions.ts"
import type { MoveRow } from "./WatchedStore.ts"

/** A fact with its log entry and the row that its payload needs. */
export interface LoggedPositionFact extends ShareFact {
  readonly seq: bigint
  readonly row: Pick<MoveRow, "tx" | "block" | "log_index" | "at" | "ordinal">
}

type Source = PositionStatusChangeData["source"]

/** As on the chain: trades, conversions and refunds are transfers of shares. */
const sources: Readonly<Record<string, Source>> = {
  split: "split",
  merge: "merge",
  redemption: "redemption",
  resolution: "resolution",
}

const dataOf = (change: StatusChange<LoggedPositionFact>, names: Names): PositionStatusChangeData => {
  const { fact, from, to, before, after } = change
  const { row, kind } = fact
  const token = names.token(change.token)
  const delta = after - before
  return {
    wallet: names.wallet(change.wallet),
    token_id: token.id,
    from_status: from,
    to_status: to,
    previous_amount: exactAmount(before),
    new_amount: exactAmount(after),
    delta_amount: exactAmount(delta),
    transfer_amount: exactAmount(delta < 0n ? -delta : delta),
    source: sources[kind] ?? "erc1155_transfer",
    raw_event_type: kind,
    source_event_id: `0x${row.tx}_${row.log_index}`,
    ...marketOfToken(token),
    ...eventOf(token.info),
    ...chainFields(row),
    tags: token.info?.tags ?? [],
    timestamp: isoOf(row.at),
  }
}

export const statusOccurrence = (change: StatusChange<LoggedPositionFact>, names: Names): Occurrence => {
  const { fact, wallet, token, from, to } = change
  const [address, name] = [names.wallet(wallet), names.token(token)]
  const facets = { ...tokenFacets(name), wallets: [address], statusFrom: from, statusTo: to }
  const identity = `${fact.kind} ${fact.row.tx} ${fact.row.ordinal} ${address} ${name.id} ${from} ${to}`
  return occurrence(identity, facets, () => dataOf(change, names))
}
