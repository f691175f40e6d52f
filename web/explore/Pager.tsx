import { useState } from "preact/hooks"
import { whole } from "../shared/format.ts"
import { useQueryState } from "../shared/useQueryState.ts"

/** A page of a list, and how to turn it. */
export interface ListPage {
  readonly limit: number
  /** Rows before the page. */
  readonly offset: number
  readonly onPrevious: () => void
  readonly onNext: () => void
}

/** The page of a list, from the query of the address. */
export const usePage = (limit: number): ListPage => {
  const [query, setQuery] = useQueryState()
  const offset = Math.max(0, Math.floor(Number(query["offset"] ?? 0)) || 0)
  const turn = (to: number) => setQuery({ offset: to <= 0 ? undefined : String(to) })
  return { limit, offset, onPrevious: () => turn(offset - limit), onNext: () => turn(offset + limit) }
}

export interface CursorPage extends Omit<ListPage, "onNext"> {
  readonly cursor: string | undefined
  readonly onNext: (cursor: string) => void
}

/**
 * The page of a list that continues by cursor, so that new rows shift nothing. It is not in the address, because most cursors
 * are valid for a day only. `list` says which list it is: another one begins at its first page.
 */
export const useCursorPage = (limit: number, list = ""): CursorPage => {
  const [state, setState] = useState<{ readonly list: string; readonly cursors: ReadonlyArray<string> }>({
    list,
    cursors: [],
  })
  const cursors = state.list === list ? state.cursors : []
  return {
    limit,
    offset: cursors.length * limit,
    cursor: cursors.at(-1),
    onPrevious: () => setState({ list, cursors: cursors.slice(0, -1) }),
    onNext: (cursor) => setState({ list, cursors: [...cursors, cursor] }),
  }
}

/** The page of a list by cursor, once it is known what follows. */
export const followedBy = ({ onNext, ...page }: CursorPage, next: string | null): ListPage => ({
  ...page,
  onNext: () => {
    if (next !== null) onNext(next)
  },
})

/** Turns the pages of a list. */
export const Pager = ({
  page: { offset, onPrevious, onNext },
  label = "Pages of the list",
  count,
  hasMore,
  isBusy = false,
}: {
  readonly page: ListPage
  /** Where a view has several lists. */
  readonly label?: string
  readonly count: number
  readonly hasMore: boolean
  /** While another page is loaded, a turn would start from the wrong one. */
  readonly isBusy?: boolean
}) => {
  const unlessBusy = (turn: () => void) => () => {
    if (!isBusy) turn()
  }

  if (offset === 0 && !hasMore) return null
  return (
    <nav class="spread pager" aria-label={label}>
      <button type="button" class="small outline" disabled={offset === 0} onClick={unlessBusy(onPrevious)}>
        Previous
      </button>
      <span class="small muted figures" aria-busy={isBusy}>
        {isBusy ? "loading…" : count === 0 ? "no rows" : `${whole(offset + 1)}–${whole(offset + count)}`}
      </span>
      <button type="button" class="small outline" disabled={!hasMore} onClick={unlessBusy(onNext)}>
        Next
      </button>
    </nav>
  )
}
