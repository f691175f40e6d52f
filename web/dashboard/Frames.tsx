import { whole } from "../shared/format.ts"
import { Empty } from "../shared/ui/States.tsx"
import { Time } from "../shared/ui/Time.tsx"
import { Panel } from "./Page.tsx"
import type { Received, useFrames } from "./useFrames.ts"

const summaryOf = ({ frame }: Received): string => JSON.stringify(frame).slice(0, 160)

/** The newest frames; one opens on a click. */
export const Frames = ({ stream }: { readonly stream: ReturnType<typeof useFrames> }) => {
  const { frames, total, status, clear } = stream
  return (
    <Panel
      title="Frames"
      tools={
        <>
          <span class="small muted figures">
            {whole(total)} received{total > frames.length ? `, newest ${whole(frames.length)} shown` : ""}
          </span>
          <button type="button" class="small outline" disabled={total === 0} onClick={clear}>
            Clear
          </button>
        </>
      }
    >
      <p role="status">{status}</p>
      {frames.length === 0 ? (
        <Empty>Subscribe to see frames here.</Empty>
      ) : (
        <ol class="frames">
          {frames.map((received) => (
            <li key={received.id}>
              <details>
                <summary>
                  <Time at={received.at} style="clock" /> <strong>{received.frame.type}</strong>{" "}
                  <span class="muted">{summaryOf(received)}</span>
                </summary>
                {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a frame that scrolls must be reachable by keyboard */}
                <pre class="code" tabIndex={0}>
                  {JSON.stringify(received.frame, null, 2)}
                </pre>
              </details>
            </li>
          ))}
        </ol>
      )}
    </Panel>
  )
}
