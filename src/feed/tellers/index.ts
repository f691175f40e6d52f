import type { Teller } from "../Teller.ts"
import { tellFill } from "./fill.ts"

/** How each kind of entry is told. What is not here is nobody's business. */
export const tellers: ReadonlyMap<string, Teller> = new Map(
  Object.entries({
    fill: tellFill,
  } satisfies Readonly<Record<string, Teller>>),
)
