import type { ListSource } from "#src/activity/listSql.ts"
import type { Listed } from "#src/activity/model.ts"
import { exchangeAddress } from "#src/dictionary/exchangeCodes.ts"
import { transactionSql } from "#src/dictionary/factSql.ts"
import type { Shares, Usdc } from "#src/domain/amounts.ts"
import { type ComboKind, comboCode, comboKinds } from "#src/domain/ComboKind.ts"
import { tokenOfHex } from "#src/domain/TokenId.ts"
import type { FoundCombo } from "./findCombo.ts"
import type { ComboEvent } from "./model.ts"

/** Facts before this block were dropped, and their transactions with them. */
const isKept = "f.block >= coalesce((select dropped_before from ledger_coverage), 0)"

interface SourceFilter {
  readonly tx?: string | undefined
  /** Whether the wallet sells. */
  readonly isSale?: boolean | undefined
}

/** Conditions on the acts of a kind. Those of one combo also include what concerns several combos. */
const whereOf = (kind: ComboKind, combo: FoundCombo | undefined, { tx, isSale }: SourceFilter): string =>
  [
    `f.kind = ${comboCode(kind)}`,
    isKept,
    ...(combo === undefined ? ["f.is_main"] : [`f.condition = ${combo.condition}`]),
    ...(combo?.token === undefined ? [] : [`f.token in (0, ${combo.token})`]),
    ...(isSale === undefined ? [] : [`${isSale ? "" : "not "}f.is_out`]),
    ...(tx === undefined ? [] : [`${transactionSql("f")} = '\\x${tx.slice(2)}'::bytea`]),
  ].join(" and ")

/** What happened to combos, one source for each kind: an index finds the newest of each. */
export const sourcesOf = (
  kinds: ReadonlyArray<ComboKind>,
  combo: FoundCombo | undefined,
  filter: SourceFilter,
): ReadonlyArray<ListSource> =>
  kinds.map((kind) => ({
    table: "combo_act",
    kind: comboCode(kind),
    owner: "wallet",
    columns: "f.wallet, f.condition, f.token, f.shares, f.usd",
    sub: "f.sub",
    where: whereOf(kind, combo, filter),
  }))

const isOneOf = (...kinds: ReadonlyArray<ComboKind>) => `f.kind in (${kinds.map(comboCode).join(", ")})`

const hexes = (tokens: string) => `array(
  select encode(o.hash, 'hex') from unnest(${tokens}) with ordinality u(id, place) join token o on o.id = u.id order by u.place)`

/** Joins what the facts have beside their acts `f`. */
export const eventJoins = `
  left join wallet w on w.id = f.wallet
  left join condition c on c.id = f.condition
  left join token k on k.id = f.token
  left join fill x on ${isOneOf("execution", "own_execution")}
    and x.block = f.block and x.log_index = f.log_index and x.at = extract(epoch from f.at)::int
  left join transfer y on ${isOneOf("transfer_in", "transfer_out")}
    and y.block = f.block and y.log_index = f.log_index and y.sub = f.sub
  left join wallet o on o.id = case
    when f.kind = ${comboCode("transfer_in")} then y.sender when f.kind = ${comboCode("transfer_out")} then y.receiver
    else x.taker end
  left join conversion v on v.block = f.block and v.log_index = f.log_index`

export const eventColumns = `
  '0x' || encode(w.address, 'hex') as wallet, '0x' || encode(o.address, 'hex') as other, x.exchange,
  '0x' || encode(c.hash, 'hex') as condition, encode(k.hash, 'hex') as token, f.shares, f.usd,
  ${hexes("v.nos")} as given, ${hexes("v.yeses")} as received`

export interface EventRow {
  readonly wallet: string | null
  readonly other: string | null
  readonly exchange: number | null
  readonly condition: string
  readonly token: string | null
  readonly shares: Shares<bigint>
  readonly usd: Usdc<bigint>
  readonly given: ReadonlyArray<string>
  readonly received: ReadonlyArray<string>
}

/** Both outcomes of a combo. */
const bothOf = (condition: string) => [`${condition.slice(2, 64)}00`, `${condition.slice(2, 64)}01`]

/** Tokens that the wallet gave up and received. */
const movedIn = (type: ComboKind, { token, condition, given, received }: EventRow) => {
  const own = token === null ? bothOf(condition) : [token]
  if (given.length + received.length > 0) return { given, received }
  switch (type) {
    case "split":
      return { given: [], received: own }
    case "merge":
    case "redeem":
    case "transfer_out":
      return { given: own, received: [] }
    case "transfer_in":
      return { given: [], received: own }
    default:
      return { given: [], received: [] }
  }
}

/** An act without its combo, which is loaded for a whole page. */
export const eventOf = (row: EventRow, listed: Listed): ComboEvent => {
  const type = comboKinds[listed.kind] ?? "convert"
  const { given, received } = movedIn(type, row)
  return {
    ...listed,
    type,
    wallet: row.wallet,
    other: row.other ?? (row.exchange === null ? null : exchangeAddress(row.exchange)),
    condition: row.condition,
    token: row.token === null ? null : tokenOfHex(row.token),
    shares: row.shares,
    usd: row.usd,
    given: given.map(tokenOfHex),
    received: received.map(tokenOfHex),
    combo: undefined,
  }
}
