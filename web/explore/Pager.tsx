import { whole } from "../shared/format.ts"
import { useQueryState } from "../shared/useQueryState.ts"

/** The page of a list, from the query of the address. */
export const usePage = (limit: number) => {
  const [query] = useQueryState()
  const offset = Math.max(0, Math.floor(Number(query["offset"] ?? 0)) || 0)
  return { limit, offset }
}

/** Turns the pages of a list that begins at `offset`. */
export const Pager = ({
  offset,
  limit,
  count,
  hasMore,
}: {
  readonly offset: number
  readonly limit: number
  readonly count: number
  readonly hasMore: boolean
}) => {
  const [, setQuery] = useQueryState()
  const turn = (to: number) => setQuery({ offset: to <= 0 ? undefined : String(to) })
  if (offset === 0 && !hasMore) return null
  return (
    <nav class="spread pager" aria-label="Pages of the list">
      <button type="button" class="small outline" disabled={offset === 0} onClick={() => turn(offset - limit)}>
        Previous
      </button>
      <span class="small muted figures">
        {count === 0 ? "no rows" : `${whole(offset + 1)}–${whole(offset + count)}`}
      </span>
      <button type="button" class="small outline" disabled={!hasMore} onClick={() => turn(offset + limit)}>
        Next
      </button>
    </nav>
  )
}
