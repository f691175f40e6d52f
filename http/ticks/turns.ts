const mostPerTurn = 1_048_576

/**
 * Shares the turns of the event loop between those who send much. Bytes that a socket takes at once call for the next ones
 * before anything else gets its turn, so readers who are fast enough would keep all others waiting.
 */
export const makeTurns = (most: number = mostPerTurn) => {
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
  return async (bytes: number): Promise<void> => {
    while (spent >= most) await endOfTurn()
    spent += bytes
    // Also what does not fill a turn is forgotten with it.
    void endOfTurn()
  }
}

export type Turns = ReturnType<typeof makeTurns>
