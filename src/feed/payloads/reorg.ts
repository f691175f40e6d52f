/** Blocks after the fork were replaced, as the entry in the log says it. */
export interface Reorganised {
  readonly fork_block: number
  readonly fork_hash: string
  /** What was told under these seqs no longer holds. */
  readonly retracted: ReadonlyArray<number>
}

export const reorgPayload = ({ fork_block, fork_hash, retracted }: Reorganised) => ({
  event_type: "reorg",
  fork_block,
  fork_hash,
  retracted,
})
