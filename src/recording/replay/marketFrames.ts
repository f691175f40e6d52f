/** The events of a message of the market socket, which has one or a list of them. */
export const eventsIn = (text: string): ReadonlyArray<unknown> => {
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) ? value : [value]
  } catch {
    return []
  }
}

/** Tokens that an event is about; none if it is for everybody. */
export const tokensOf = (event: unknown): ReadonlyArray<string> => {
  const { asset_id, assets_ids, price_changes } = Object(event) as Readonly<Record<string, unknown>>
  const changed = Array.isArray(price_changes) ? price_changes.map((change: unknown) => Object(change)["asset_id"]) : []
  const listed = Array.isArray(assets_ids) ? assets_ids : []
  return [...new Set([asset_id, ...changed, ...listed].filter((token): token is string => typeof token === "string"))]
}
