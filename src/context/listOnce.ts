/** At most `most` rows of each query, without those that an earlier query lists. */
export const listOnce = <Row>(
  found: ReadonlyArray<ReadonlyArray<Row>>,
  keyOf: (row: Row) => string,
  most: number,
): ReadonlyArray<ReadonlyArray<Row>> => {
  const listed = new Set<string>()
  return found.map((rows) => {
    const fresh = rows.filter((row) => !listed.has(keyOf(row))).slice(0, most)
    for (const row of fresh) listed.add(keyOf(row))
    return fresh
  })
}
