import type { ChainEvent } from "#src/upstream/chain/events.ts"

/** Arguments of an event by name, as numbers and digits. */
export interface Args {
  readonly hex: (name: string) => string
  readonly id: (name: string) => string
  readonly ids: (name: string) => ReadonlyArray<string>
  readonly number: (name: string) => number
  readonly numbers: (name: string) => ReadonlyArray<number>
  readonly flag: (name: string) => boolean
  readonly big: (name: string) => bigint
}

/** With numbers that have no unit. */
type Plain<A> = A extends number
  ? number
  : A extends ReadonlyArray<infer B>
    ? ReadonlyArray<Plain<B>>
    : A extends object
      ? { readonly [K in keyof A]: Plain<A[K]> }
      : A

/** An event that is decoded: the contracts' own declaration of it, and what it has to become. */
export interface EventCase {
  readonly contracts: ReadonlyArray<string>
  readonly event: string
  readonly expected: (args: Args, contract: string) => Plain<ChainEvent>
}
