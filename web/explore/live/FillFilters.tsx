import { useLayoutEffect, useState } from "preact/hooks"
import { withQuery } from "../../shared/request.ts"
import { useDebounced } from "../../shared/useDebounced.ts"
import { useRequest } from "../../shared/useRequest.ts"
import type { FillFilters as Filters } from "./LiveSession.ts"

interface Suggestions {
  readonly data: ReadonlyArray<{ readonly slug: string | null; readonly question: string | null }>
}
interface ActiveMarkets {
  readonly markets: ReadonlyArray<{ readonly slug: string; readonly title: string }>
}

/** Markets that fit what is typed; without a plan that may search, those of the coins. */
const useSuggestions = (typed: string) => {
  const active = useRequest<ActiveMarkets>("/v1/crypto/active")
  const words = useDebounced(typed.trim().replaceAll("-", " "))
  const found = useRequest<Suggestions>(
    words.length < 3 ? undefined : withQuery("/v3/markets/search", { q: words, limit: 8 }),
  )
  const listed = (found.data?.data ?? []).flatMap(({ slug, question }) =>
    slug === null ? [] : [{ slug, title: question ?? slug }],
  )
  return listed.length > 0 ? listed : (active.data?.markets ?? [])
}

/** Which fills to show. Market and size apply when the form is sent, because every change is a new subscription. */
export const FillFilters = ({
  filters,
  onChange,
}: {
  readonly filters: Filters
  readonly onChange: (filters: Filters) => void
}) => {
  const [draft, setDraft] = useState(filters)
  // Before the next input: an effect after the paint would discard what was entered meanwhile.
  useLayoutEffect(() => setDraft(filters), [filters.market, filters.side, filters.minUsd])
  const suggestions = useSuggestions(draft.market)
  const apply = (next: Filters) => onChange({ ...next, market: next.market.trim() })
  return (
    <form
      class="row filters"
      aria-label="Which fills to show"
      autocomplete="off"
      onSubmit={(event) => {
        event.preventDefault()
        apply(draft)
      }}
    >
      <label class="wide">
        Market
        <input
          name="market"
          list="live-markets"
          maxLength={255}
          placeholder="every market; type words or a slug"
          spellcheck={false}
          value={draft.market}
          onInput={(event) => setDraft({ ...draft, market: event.currentTarget.value })}
        />
      </label>
      <datalist id="live-markets">
        {suggestions.map(({ slug, title }) => (
          <option key={slug} value={slug}>
            {title}
          </option>
        ))}
      </datalist>
      <label>
        Side
        <select
          name="side"
          value={draft.side}
          onChange={(event) => {
            const next = { ...draft, side: event.currentTarget.value }
            setDraft(next)
            apply(next)
          }}
        >
          <option value="">Both</option>
          <option value="BUY">Buy</option>
          <option value="SELL">Sell</option>
        </select>
      </label>
      <label>
        Minimum size, $
        <input
          name="min"
          type="number"
          min="0"
          step="any"
          inputMode="decimal"
          placeholder="0"
          value={draft.minUsd}
          onInput={(event) => setDraft({ ...draft, minUsd: event.currentTarget.value })}
        />
      </label>
      <button type="submit">Follow</button>
    </form>
  )
}
