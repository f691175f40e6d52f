/** Items by what they have in common, in their order. */
export const grouped = <K, A>(items: Iterable<A>, keyOf: (item: A) => K): ReadonlyMap<K, ReadonlyArray<A>> => {
  const groups = new Map<K, Array<A>>()
  for (const item of items) {
    const key = keyOf(item)
    const there = groups.get(key)
    if (there === undefined) groups.set(key, [item])
    else there.push(item)
  }
  return groups
}
