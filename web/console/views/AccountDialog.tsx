import { useState } from "preact/hooks"
import { Failure } from "../../shared/request.ts"
import { Dialog } from "../../shared/ui/Dialog.tsx"
import { FailureNotice } from "../../shared/ui/States.tsx"
import type { Account } from "../shapes.ts"
import { change } from "../token.ts"
import { plans } from "./CreateAccount.tsx"

/** An empty field restores the limit of the plan. */
const limitIn = (fields: FormData, name: string): number | null => {
  const text = String(fields.get(name) ?? "").trim()
  return text === "" ? null : Number(text)
}

/** Changes the plan and the limits of an account. */
export const AccountDialog = ({
  account,
  onChange,
  onClose,
}: {
  readonly account: Account
  readonly onChange: () => void
  readonly onClose: () => void
}) => {
  const [failure, setFailure] = useState<Failure>()
  const save = async (form: HTMLFormElement) => {
    const fields = new FormData(form)
    try {
      await change(`/accounts/${account.id}`, "PATCH", {
        plan: fields.get("plan"),
        standard_per_minute: limitIn(fields, "standard"),
        heavy_per_minute: limitIn(fields, "heavy"),
      })
      onChange()
      onClose()
    } catch (error) {
      setFailure(error instanceof Failure ? error : new Failure(0, String(error)))
    }
  }
  const { standard_per_minute: standard, heavy_per_minute: heavy } = account.own_limits
  return (
    <Dialog title={`Change ${account.name}`} onClose={onClose}>
      <p class="small muted">
        <code>{account.id}</code>
      </p>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void save(event.currentTarget)
        }}
      >
        <label>
          Plan
          <select name="plan">
            {plans.map((plan) => (
              <option key={plan} value={plan} selected={plan === account.plan}>
                {plan}
              </option>
            ))}
          </select>
        </label>
        <label>
          Requests per minute (empty: those of the plan)
          <input name="standard" type="number" min={1} max={1_000_000} defaultValue={standard ?? ""} />
        </label>
        <label>
          Heavy requests per minute (empty: those of the plan)
          <input name="heavy" type="number" min={1} max={1_000_000} defaultValue={heavy ?? ""} />
        </label>
        {failure !== undefined && <FailureNotice failure={failure} />}
        <button type="submit">Save</button>
      </form>
    </Dialog>
  )
}
