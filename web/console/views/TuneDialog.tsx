import { useState } from "preact/hooks"
import { Failure } from "../../shared/request.ts"
import { Dialog } from "../../shared/ui/Dialog.tsx"
import { FailureNotice } from "../../shared/ui/States.tsx"
import type { Setting } from "../shapes.ts"
import { change } from "../token.ts"

/** Changes a setting in every running process, or removes its override. */
export const TuneDialog = ({
  setting,
  onChange,
  onClose,
}: {
  readonly setting: Setting
  readonly onChange: () => void
  readonly onClose: () => void
}) => {
  const [failure, setFailure] = useState<Failure>()
  const [isBusy, setBusy] = useState(false)
  const path = `/settings/${encodeURIComponent(setting.name)}`
  const apply = async (send: () => Promise<unknown>) => {
    setBusy(true)
    try {
      await send()
      onChange()
      onClose()
    } catch (error) {
      setFailure(error instanceof Failure ? error : new Failure(0, String(error)))
      setBusy(false)
    }
  }
  return (
    <Dialog title={`Tune ${setting.name}`} onClose={onClose}>
      <p>
        {setting.doc}. It takes {setting.wants}. A change reaches every process within 2 s and stays until it is reset.
      </p>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          const value = new FormData(event.currentTarget).get("value")
          if (typeof value === "string") void apply(() => change(path, "PUT", { value: value.trim() }))
        }}
      >
        <label for="value">New value</label>
        <input id="value" name="value" required defaultValue={setting.value} spellcheck={false} autocomplete="off" />
        {failure !== undefined && <FailureNotice failure={failure} />}
        <footer class="row">
          {setting.source === "live override" && (
            <button
              type="button"
              class="secondary"
              disabled={isBusy}
              onClick={() => void apply(() => change(path, "DELETE"))}
            >
              Reset
            </button>
          )}
          <button type="submit" aria-busy={isBusy} disabled={isBusy}>
            Apply
          </button>
        </footer>
      </form>
    </Dialog>
  )
}
