/**
 * Limits how much work its callers do in one turn of the event loop, so that other work runs in between. `limit` is in any
 * unit; all callers of the returned function share it.
 */
export const makeYieldBudget = (limit: number) => {
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

  /** Waits until the current turn has budget left, and spends it. */
  return async (amount: number): Promise<void> => {
    while (spent >= limit) await endOfTurn()
    spent += amount
    // Resets the budget at the end of the turn even when it was not used up.
    void endOfTurn()
  }
}
