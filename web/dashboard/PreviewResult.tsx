import { useState } from "preact/hooks"
import { whole } from "../shared/format.ts"
import { Time } from "../shared/ui/Time.tsx"
import { Json } from "./Json.tsx"
import { Panel } from "./Page.tsx"
import type { Preview } from "./webhookTypes.ts"

/** What a webhook would have received lately. */
export const PreviewResult = ({ preview }: { readonly preview: Preview }) => {
  const [at, setAt] = useState(0)
  const { matched, by_type, since, complete, samples } = preview
  const sample = samples[at]
  return (
    <Panel title="Preview">
      <p role="status">
        <strong class="figures">{whole(matched)}</strong> events since <Time at={since} /> would have been sent
        {complete ? "." : " (as far back as time allowed)."}
      </p>
      <p class="muted">
        {Object.entries(by_type)
          .map(([type, count]) => `${type} ${whole(count)}`)
          .join(", ")}
      </p>
      {sample !== undefined && (
        <>
          <div class="row pager">
            <button type="button" class="small outline" disabled={at === 0} onClick={() => setAt(at - 1)}>
              Previous
            </button>
            <button
              type="button"
              class="small outline"
              disabled={at >= samples.length - 1}
              onClick={() => setAt(at + 1)}
            >
              Next
            </button>
          </div>
          <Json label={`Sample ${at + 1} of ${samples.length}`} text={JSON.stringify(sample)} />
        </>
      )}
    </Panel>
  )
}
