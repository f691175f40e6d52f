import { useState } from "preact/hooks"
import { whole } from "../shared/format.ts"
import { request } from "../shared/request.ts"
import { Dialog } from "../shared/ui/Dialog.tsx"
import { FailureNotice } from "../shared/ui/States.tsx"
import { useAction } from "../shared/useAction.ts"

interface Replayed {
  readonly queued: number
  readonly over_cap: number
  readonly next: string | null
}

/** The value of a local date and time field. */
const localText = (millis: number) =>
  new Date(millis - new Date(millis).getTimezoneOffset() * 60_000).toISOString().slice(0, 16)

/** Sends missed events again, in as many requests as it takes. */
export const ReplayDialog = ({
  path,
  onDone,
  onClose,
}: {
  readonly path: string
  readonly onDone: (text: string) => void
  readonly onClose: () => void
}) => {
  const [since, setSince] = useState(localText(Date.now() - 86_400_000))
  const [isAll, setAll] = useState(false)
  const { failure, isBusy, run } = useAction()
  const replay = () =>
    run(async () => {
      const from = { since: Math.floor(new Date(since).getTime() / 1000), delivered: isAll }
      let [queued, overCap] = [0, 0]
      let after: string | null = null
      do {
        const body: object = after === null ? from : { ...from, after }
        const part: Replayed = await request<Replayed>(`${path}/replay`, { method: "POST", body })
        queued += part.queued
        overCap += part.over_cap
        after = part.next
      } while (after !== null)
      onDone(
        `${whole(queued)} deliveries are queued again${overCap === 0 ? "" : `, ${whole(overCap)} are over the cap`}.`,
      )
    })
  return (
    <Dialog title="Replay missed events" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void replay()
        }}
      >
        <label>
          Since (your time)
          <input
            type="datetime-local"
            required
            value={since}
            onInput={({ currentTarget }) => setSince(currentTarget.value)}
          />
        </label>
        <label>
          <input type="checkbox" checked={isAll} onChange={() => setAll(!isAll)} />
          Also what was delivered
        </label>
        {failure !== undefined && <FailureNotice failure={failure} />}
        <footer class="row">
          <button type="button" class="secondary" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" aria-busy={isBusy}>
            Replay
          </button>
        </footer>
      </form>
    </Dialog>
  )
}
