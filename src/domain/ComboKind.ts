/**
 * What a module did with the tokens of a wallet beside splitting, merging and redeeming collateral, by its log. The ledger
 * stores indexes, so that new ones are added at the end.
 */
export const moduleOperations = [
  "split",
  "merge",
  "horizontal_split",
  "horizontal_merge",
  "convert",
  "wrap",
  "unwrap",
  "compress",
  "extract",
  "inject",
  "convert_to_yes_basket",
  "merge_from_yes_basket",
] as const
export type ModuleOperation = (typeof moduleOperations)[number]

/**
 * What can happen to a combo. An execution is a filled order, and `own_execution` that of the order that started the match.
 * The ledger stores indexes, so that new ones are added at the end.
 */
export const comboKinds = [
  "execution",
  "own_execution",
  "prepare",
  "redeem",
  "transfer_out",
  "transfer_in",
  ...moduleOperations,
] as const
export type ComboKind = (typeof comboKinds)[number]

export const comboCode = (kind: ComboKind): number => comboKinds.indexOf(kind)
