/**
 * Shares the turns of the event loop between those who do much at a time, so that others get theirs: of all that is done
 * in one turn, `most` at most, in whatever unit it is counted.
 */
export const makeYieldBudget = (most: number) => {
  let spent = 0
  let next: Promise<void> | undefined

  const endOfTurn = () => {
    next ??= new Promise((resolve) =>
      setImmediate(() => {
        spent = 0
        next = undefined
        resolve()
      }),
    )
    return next
  }

  /** Waits until there is room in the current turn, and takes it. */
  return async (amount: number): Promise<void> => {
    while (spent >= most) await endOfTurn()
    spent += amount
    // Also what does not fill a turn is forgotten with it.
    void endOfTurn()
  }
}
