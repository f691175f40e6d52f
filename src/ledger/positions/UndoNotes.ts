import type { Position } from "./model.ts"

/** A position that a block touched, and how it was before, if it was. */
export interface UndoNote {
  readonly block: number
  readonly wallet: number
  readonly token: number
  readonly before: Position | undefined
}

/** How positions were before each of some blocks, noted while their facts are applied in the order of the chain. */
export class UndoNotes {
  readonly all: Array<UndoNote> = []
  readonly #touched = new Set<Position>()
  #block: number | undefined

  /** A block's first change of a position is the one before which it was as the blocks before had left it. */
  note(block: number, position: Position, before: Position | undefined): void {
    if (block !== this.#block) this.#touched.clear()
    this.#block = block
    if (this.#touched.has(position)) return
    this.#touched.add(position)
    const { wallet, token } = position
    this.all.push({ block, wallet, token, before: before && { ...before } })
  }
}
