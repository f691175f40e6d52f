import type { Follower } from "./Follower.ts"

/** Of each turn of the event loop; the rest is for those who are live. */
const turnMillis = 4

/** Lets all who catch up do so in turns, a little each time: thousands may come back at once. */
export const makeTurns = (): ((follower: Follower) => void) => {
  const waiting = new Set<Follower>()
  let isDue = false

  const turn = () => {
    isDue = false
    const end = performance.now() + turnMillis
    for (const follower of waiting) {
      waiting.delete(follower)
      if (follower.step()) waiting.add(follower)
      if (performance.now() > end) break
    }
    if (waiting.size > 0) begin()
  }
  const begin = () => {
    if (isDue) return
    isDue = true
    setImmediate(turn)
  }
  return (follower) => {
    waiting.add(follower)
    begin()
  }
}
