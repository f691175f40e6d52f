/** Edit distance between `a` and `b`; stops above `limit`. */
const distance = (a: string, b: string, limit: number): number => {
  if (Math.abs(a.length - b.length) > limit) return limit + 1
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const current = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      current[j] = Math.min(replaced, (previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1)
    }
    previous = current
  }
  return previous[b.length] ?? limit + 1
}

/** The known name closest to a misspelt one, if two of three letters are right and it has no more typos than it may. */
export const closestName = (given: string, known: Iterable<string>, mostTypos = Infinity): string | undefined => {
  // Bounds the work for hostile names of many kilobytes.
  if (given.length > 200) return undefined
  const wanted = given.toLowerCase()
  let best: string | undefined
  let least = Math.min(mostTypos, Math.max(1, Math.floor(given.length / 3)))
  for (const name of known) {
    const d = distance(wanted, name.toLowerCase(), least)
    if (d < least || (d === least && best === undefined)) [best, least] = [name, d]
  }
  return best
}
